#include <fmt/format.h>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/generated_name.h"
#include "server/apiserver/bodies/field_managers.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr int kNameAttempts = 8;           // as upstream's RetryGenerateName
constexpr std::size_t kUsualBytes = 4096;  // of an object's text

/// The namespace of the path goes into the object; one of its own must be the same.
Answer<Value> in_namespace_of(const Call& call, Value object) {
  const std::string_view expected = call.resource().is_namespaced ? std::string_view(call.name_space) : "";
  const std::string_view own = namespace_of(object);
  if (own.empty() && !expected.empty()) return with_metadata(std::move(object), "namespace", Value(expected));
  if (own == expected) return object;
  if (expected.empty()) return with_metadata(std::move(object), "namespace", Value());
  return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
}

Value with_system_fields(Value object, Instant now, Rng& rng) {
  object = with_metadata(std::move(object), "creationTimestamp", Value(format_rfc3339(now)));
  object = with_metadata(std::move(object), "uid", Value(make_uid(rng)));
  for (const std::string_view member : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    object = with_metadata(std::move(object), member, Value());
  }
  return object;
}

bool wants_generated_name(const Value& object) {
  return name_of(object).empty() && !document::text_at(object, {"metadata", "generateName"}).empty();
}

}  // namespace

StrategyContext Writer::context(Call& call, bool is_dry_run) {
  return {*call.served->stored, store_, loop_.now(), rng_, call.user, call.warnings, is_dry_run};
}

Answer<Written> Writer::create(Call& call, Value object, const WriteOptions& options, Managed managed) {
  const std::string_view version = resource_version_of(object);
  if (!version.empty() && version != "0") {
    return refuse(plain_error("resourceVersion should not be set on objects to be created"));
  }
  Answer<Value> placed = in_namespace_of(call, std::move(object));
  if (!placed) return refuse(placed.error());
  object = std::move(*placed);
  if (managed == Managed::kHere) {
    object = with_managed_fields(call, options, nullptr, std::move(object), loop_.now());
  }

  const AdmissionRequest request{AdmissionRequest::Operation::kCreate, call, options.is_dry_run, nullptr};
  Answer<Value> completed = admission_.complete(request, std::move(object));
  if (!completed) return refuse(completed.error());
  object = with_system_fields(std::move(*completed), loop_.now(), rng_);

  if (!wants_generated_name(object)) return put_new(call, std::move(object), options);
  const std::string base(document::text_at(object, {"metadata", "generateName"}));
  for (int attempt = 1;; ++attempt) {
    Value named = with_metadata(object, "name", Value(kube::generate_name(base, rng_)));
    if (attempt < kNameAttempts && store_.get(call.key(name_of(named))) != nullptr) continue;
    return put_new(call, std::move(named), options);
  }
}

Answer<Written> Writer::put_new(Call& call, Value object, const WriteOptions& options) {
  const ServedResource& served = *call.served;
  StrategyContext strategy_context = context(call, options.is_dry_run);
  object = served.strategy->prepare_for_create(std::move(object), strategy_context);
  const kube::FieldErrors errors = served.strategy->validate(object, strategy_context);
  const std::string name(name_of(object));
  if (!errors.empty()) return refuse(invalid(served.resource->kind, name, errors));

  const store::Key key = call.key(name);
  if (const store::ObjectPtr existing = store_.get(key)) {
    StatusError failure = already_exists(call.group_resource(), name);
    if (is_being_deleted(existing->document())) failure.message = "object is being deleted: " + failure.message;
    return refuse(failure);
  }
  const AdmissionRequest request{AdmissionRequest::Operation::kCreate, call, options.is_dry_run, nullptr};
  if (const Answer<void> verdict = admission_.review(request, object); !verdict) return refuse(verdict.error());
  if (options.is_dry_run) return Written{stamped(std::move(object), 0), nullptr, 201};

  const Value final_object = stamped(std::move(object), store_.next_revision());
  std::string text;
  text.reserve(kUsualBytes);
  document::append_json(text, final_object);
  store::StoreResult<store::ObjectPtr> stored = store_.put(key, text, 0, kept_parsed(served, final_object));
  if (!stored) return refuse(store_failure(stored.error(), call.group_resource(), name));
  (*stored)->set_derived(derive_facts(final_object, served));
  return Written{final_object, *stored, 201};
}

Value kept_parsed(const ServedResource& served, const Value& object) {
  return served.strategy->traits().is_seldom_read ? Value() : object;
}

StatusError store_failure(const store::StoreError& error, const GroupResource& resource, std::string_view name) {
  using Code = store::StoreError::Code;
  switch (error.code) {
    case Code::kExists:
      return already_exists(resource, name);
    case Code::kNotFound:
      return not_found(resource, name);
    case Code::kConflict:
      return modified(resource, name);
    case Code::kCompacted:
      return expired(fmt::format("too old resource version: {} ({})", error.requested, error.oldest));
    case Code::kFuture: {
      StatusError failure =
          timeout(fmt::format("Too large resource version: {}, current: {}", error.requested, error.oldest), 1);
      failure.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", {}});
      return failure;
    }
    case Code::kUnavailable:
      return internal_error(error.message);
  }
  return internal_error(error.message);
}

}  // namespace loadline::apiserver
