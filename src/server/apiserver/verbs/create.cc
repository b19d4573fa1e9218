#include <fmt/format.h>

#include "foundation/document/writer.h"
#include "server/apiserver/bodies/field_managers.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/verbs/new_object.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr int kNameAttempts = 8;           // as upstream's RetryGenerateName
constexpr std::size_t kUsualBytes = 4096;  // of an object's text

}  // namespace

StrategyContext Writer::context(Call& call, bool is_dry_run) {
  return {*call.served->stored, store_, loop_.now(), rng_, call.user, call.warnings, is_dry_run};
}

Answer<Written> Writer::create(Call& call, Value object, const WriteOptions& options, Managed managed) {
  Answer<Value> placed = in_its_place(call, std::move(object));
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
  for (int attempt = 1;; ++attempt) {
    Value named = with_generated_name(object, rng_);
    if (attempt < kNameAttempts && store_.get(call.key(name_of(named))) != nullptr) continue;
    return put_new(call, std::move(named), options);
  }
}

Answer<Written> Writer::put_new(Call& call, Value object, const WriteOptions& options) {
  const ServedResource& served = *call.served;
  StrategyContext strategy_context = context(call, options.is_dry_run);
  JudgedObject judged = judge_new(served, std::move(object), strategy_context);
  object = std::move(judged.object);
  const std::string name(name_of(object));
  if (!judged.errors.empty()) return refuse(invalid(served.resource->kind, name, judged.errors));

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
  if (text.size() > kLargestObject) return refuse(too_large(text.size()));
  store::StoreResult<store::ObjectPtr> stored = store_.put(key, text, 0, kept_parsed(served, final_object));
  if (!stored) return refuse(store_failure(stored.error(), call.group_resource(), name));
  (*stored)->set_derived(derive_facts(final_object, served));
  return Written{final_object, *stored, 201};
}

Value kept_parsed(const ServedResource& served, const Value& object) {
  return served.strategy->traits().is_seldom_read ? Value() : object;
}

StatusError too_large(std::size_t bytes) {
  StatusError failure;
  failure.code = 413;
  failure.reason = "RequestEntityTooLarge";
  failure.message = fmt::format("Request entity is too large: the object would have {} bytes, and limit is {}", bytes,
                                kLargestObject);
  return failure;
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
