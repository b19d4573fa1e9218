#include "apiserver/applying.h"

#include <fmt/format.h>

#include "api/apply.h"
#include "apiserver/conversion.h"
#include "apiserver/field_managers.h"
#include "apiserver/metadata.h"
#include "apiserver/subresources/subresource.h"
#include "document/at.h"
#include "document/reader.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Failure from_apply_error(const api::ApplyError& error) {
  using Kind = api::ApplyError::Kind;
  if (error.kind == Kind::kBadRequest) return bad_request(error.message);
  if (error.kind == Kind::kInternal) return internal_error(error.message);
  Failure failure;
  failure.code = 409;
  failure.reason = "Conflict";
  failure.message = error.message;
  failure.has_details = true;
  for (const api::ApplyError::Cause& cause : error.causes) {
    failure.causes.push_back({"FieldManagerConflict", cause.message, cause.field});
  }
  return failure;
}

/// The configuration in the body: YAML, of which JSON is a part.
Answer<Value> read_configuration(const net::Request& request, const Call& call, FieldValidation validation,
                                 std::vector<std::string>& warnings) {
  const document::Reading reading = document::read_yaml(request.body, {});
  std::vector<std::string> duplicates;
  for (const Diagnostic& problem : reading.problems) {
    if (!problem.message.starts_with("duplicate field")) {
      return refuse(bad_request(fmt::format("error decoding YAML: {}", problem.message)));
    }
    duplicates.push_back(problem.message);
  }
  if (reading.documents.size() != 1 || !reading.documents.front().is_object()) {
    return refuse(bad_request("error decoding YAML: the configuration is no object"));
  }
  if (!duplicates.empty() && validation == FieldValidation::kStrict) {
    return refuse(bad_request(fmt::format("error decoding YAML: {}", duplicates.front())));
  }
  if (validation == FieldValidation::kWarn) warnings.insert(warnings.end(), duplicates.begin(), duplicates.end());
  const Value& configuration = reading.documents.front();
  const std::string_view name = name_of(configuration);
  if (!name.empty() && name != call.name) {
    return refuse(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, call.name)));
  }
  return configuration;
}

/// What an apply leads to, conformed and defaulted, in the version that objects are kept in.
class Application {
 public:
  Application(Parts& parts, Call& call, const WriteOptions& options, Value configuration)
      : parts_(parts), call_(call), options_(options), configuration_(std::move(configuration)) {}

  Answer<Value> to(const Value& live) const {
    const api::Resource& resource = call_.resource();
    const auto applied = api::apply(convert(live, resource.kind), configuration_, manager_of(call_, options_),
                                    options_.force, resource.kind, field_management(call_, parts_.loop.now()));
    if (!applied) return refuse(from_apply_error(applied.error()));
    Answer<Value> conformed =
        parts_.bodies.conform_patched(*applied, resource.type, options_.validation, {}, call_.warnings);
    if (!conformed) return conformed;
    Value placed = with_metadata(*conformed, "name", Value(call_.name));
    if (resource.is_namespaced) placed = with_metadata(placed, "namespace", Value(call_.name_space));
    return convert(parts_.bodies.with_defaults(placed, resource, parts_.loop.now()), call_.served->stored->kind);
  }

 private:
  Parts& parts_;
  Call& call_;
  const WriteOptions& options_;
  Value configuration_;
};

}  // namespace

Answer<Written> apply_patch(Parts& parts, Call& call, const net::Request& request, const WriteOptions& options) {
  Answer<Value> configuration = read_configuration(request, call, options.validation, call.warnings);
  if (!configuration) return refuse(configuration.error());
  const Application application(parts, call, options, std::move(*configuration));
  if (parts.store.get(call.key(call.name)) == nullptr) {
    if (!call.subresource.empty()) return refuse(not_found(call.group_resource(), call.name));
    Answer<Value> object = application.to(blank_object(*call.served));
    if (!object) return refuse(object.error());
    return parts.writer.create(call, std::move(*object), options, Writer::Managed::kAlready);
  }
  const Writer::Target target = call.subresource.empty()       ? Writer::Target::kObject
                                : call.subresource == "status" ? Writer::Target::kStatus
                                                               : Writer::Target::kOther;
  return parts.writer.change(
      call,
      [&](const Value& old) -> Answer<Value> {
        Answer<Value> applied = application.to(old);
        return applied ? narrowed(parts, call, std::move(*applied), old) : applied;
      },
      target, options, Writer::Managed::kAlready);
}

}  // namespace loadline::apiserver
