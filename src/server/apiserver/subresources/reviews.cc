#include "server/apiserver/auth/reviews.h"

#include <utility>

#include "foundation/document/at.h"
#include "objects/schema/conform.h"
#include "server/api/apply/managed_fields.h"
#include "server/apiserver/bodies/field_managers.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::int64_t kTokenSeconds = 3600;  // unless the request says otherwise

/// A question as it came, with the manager of its fields, which upstream notes of everything that is created.
Answer<Value> read_question(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kCreate);
  if (!options) return refuse(options.error());
  Answer<Value> question =
      context.bodies.decode(body, {call.resource().kind, call.resource().type}, options->validation, call.warnings);
  if (!question) return question;
  if (call.resource().is_namespaced) {
    const std::string_view own = namespace_of(*question);
    if (!own.empty() && own != call.name_space) {
      return refuse(
          bad_request("the namespace of the provided object does not match the namespace sent on the request"));
    }
    question = with_metadata(*question, "namespace", Value(call.name_space));
  }
  return with_managed_fields(call, *options, nullptr, std::move(*question), context.loop.now());
}

Answer<Written> answered(Answer<Value> review) {
  if (!review) return refuse(review.error());
  return Written{std::move(*review), nullptr, 201, true, {}};
}

/// A request for a token: no object of the resource that it is made to.
Answer<Value> read_token_request(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kCreate);
  if (!options) return refuse(options.error());
  const Expected expected = context.bodies.expected("authentication.k8s.io", "v1", "TokenRequest");
  Answer<Value> wanted = context.bodies.decode(body, expected, options->validation, call.warnings);
  if (!wanted || expected.type == nullptr) return wanted;
  const Value* seconds = document::find_at(*wanted, {"spec", "expirationSeconds"});
  if (seconds == nullptr || seconds->is_null()) {
    wanted = document::with_at(*wanted, {"spec", "expirationSeconds"}, Value(kTokenSeconds));
  }
  api::FieldManagement management;
  management.type = expected.type;
  management.api_version = expected.kind.api_version();
  management.subresource = call.subresource;
  management.now = format_rfc3339(context.loop.now());
  return api::record_update(schema::zero_value(*expected.type), *wanted, manager_of(call, *options), management);
}

}  // namespace

Answer<Written> ask_self_subject_access(const ServerContext& context, Call& call, const RequestInfo& info,
                                        const Body& body) {
  const Answer<Value> question = read_question(context, call, info, body);
  if (!question) return refuse(question.error());
  return answered(review_self_subject_access(context.rbac, call.user, *question));
}

Answer<Written> ask_subject_access(const ServerContext& context, Call& call, const RequestInfo& info,
                                   const Body& body) {
  const Answer<Value> question = read_question(context, call, info, body);
  if (!question) return refuse(question.error());
  return answered(review_subject_access(context.rbac, *question));
}

Answer<Written> ask_local_subject_access(const ServerContext& context, Call& call, const RequestInfo& info,
                                         const Body& body) {
  const Answer<Value> question = read_question(context, call, info, body);
  if (!question) return refuse(question.error());
  return answered(review_local_subject_access(context.rbac, call.name_space, *question));
}

Answer<Written> ask_self_subject_rules(const ServerContext& context, Call& call, const RequestInfo& info,
                                       const Body& body) {
  const Answer<Value> question = read_question(context, call, info, body);
  if (!question) return refuse(question.error());
  return answered(review_self_subject_rules(context.rbac, call.user, *question));
}

Answer<Written> ask_self_subject(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<Value> question = read_question(context, call, info, body);
  if (!question) return refuse(question.error());
  return answered(review_self_subject(call.user, *question, context.loop.now()));
}

Answer<Written> ask_token(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<Value> question = read_question(context, call, info, body);
  if (!question) return refuse(question.error());
  return answered(review_token(context.authenticator, *question, context.loop.now()));
}

Answer<Written> issue_token(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const Answer<Value> wanted = read_token_request(context, call, info, body);
  if (!wanted) return refuse(wanted.error());
  const auto find = [&](std::string_view resource, std::string_view name_space,
                        std::string_view name) -> std::optional<Value> {
    const store::ObjectPtr object =
        context.store.get({std::string(resource), std::string(name_space), std::string(name)});
    if (object == nullptr) return std::nullopt;
    return object->document();
  };
  return answered(request_token(context.tokens, find, call.name_space, call.name, *wanted, context.loop.now()));
}

}  // namespace loadline::apiserver
