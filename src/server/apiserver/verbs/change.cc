#include <fmt/format.h>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "server/apiserver/bodies/field_managers.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;

/// Metadata that no update can change: what the client left out or got wrong is the old object's.
Value with_kept_metadata(Value object, const Value& old) {
  const Value* metadata = old.find("metadata");
  if (metadata == nullptr) return object;
  if (uid_of(object).empty()) object = with_metadata(object, "uid", Value(uid_of(old)));
  for (const std::string_view member : {"creationTimestamp", "deletionTimestamp"}) {
    if (const Value* kept = metadata->find(member)) object = with_metadata(object, member, *kept);
  }
  if (!deletion_grace_period_of(object)) {
    if (const Value* kept = metadata->find("deletionGracePeriodSeconds")) {
      object = with_metadata(object, "deletionGracePeriodSeconds", *kept);
    }
  }
  return object;
}

/// PUT carries the uid that it means; upstream reports a wrong one in its storage's words.
StatusError wrong_uid(const Call& call, std::string_view wanted, std::string_view actual) {
  const std::string place = call.resource().is_namespaced
                                ? fmt::format("{}/{}/{}", call.resource().plural, call.name_space, call.name)
                                : fmt::format("{}/{}", call.resource().plural, call.name);
  return conflict(
      call.group_resource(), call.name,
      fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}, ResourceVersion: 0, "
                  "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object meta: {}",
                  place, wanted, actual));
}

/// Whether the object goes: it is being deleted, and nothing holds it back any more.
bool is_finished_by(const Value& object, const Value& old, const Strategy& strategy) {
  return is_being_deleted(old) && finalizers_of(object).empty() && !strategy.is_held(object) &&
         deletion_grace_period_of(old).value_or(0) == 0;
}

}  // namespace

Answer<Written> Writer::change(Call& call, const Transform& transform, Target target, const WriteOptions& options,
                               Managed managed) {
  const store::ObjectPtr before = store_.get(call.key(call.name));
  if (before == nullptr) return refuse(not_found(call.group_resource(), call.name));
  const Value old = before->document();
  Answer<Value> made = transform(old);
  if (!made) return refuse(made.error());
  Value object = std::move(*made);

  if (const std::string_view uid = uid_of(object); !uid.empty() && uid != uid_of(old)) {
    return refuse(wrong_uid(call, uid, uid_of(old)));
  }
  if (managed == Managed::kHere) object = with_managed_fields(call, options, &old, std::move(object), loop_.now());
  const AdmissionRequest request{AdmissionRequest::Operation::kUpdate, call, options.is_dry_run, &old};
  Answer<Value> completed = admission_.complete(request, std::move(object));
  if (!completed) return refuse(completed.error());
  Answer<Value> prepared = prepare(call, std::move(*completed), old, target, options);
  if (!prepared) return refuse(prepared.error());
  if (const Answer<void> verdict = admission_.review(request, *prepared); !verdict) return refuse(verdict.error());
  return store_change(call, before, *prepared, options);
}

Answer<Value> Writer::prepare(Call& call, Value object, const Value& old, Target target, const WriteOptions& options) {
  const Strategy& strategy = *call.served->strategy;
  const schema::GroupVersionKind& kind = call.resource().kind;
  const std::string_view version = resource_version_of(object);
  const bool is_unconditional = version.empty() || version == "0";
  if (!parse_revision(version)) {
    return refuse(plain_error(fmt::format("strconv.ParseUint: parsing {}: invalid syntax", kube::quoted(version))));
  }
  if (is_unconditional && target == Target::kObject && strategy.traits().requires_version_on_update) {
    // Upstream's storage knows resources, not kinds.
    return refuse(invalid({kind.group, kind.version, call.resource().plural}, call.name,
                          {{"metadata.resourceVersion", "Invalid value: 0: must be specified for an update", {}}}));
  }
  if (!is_unconditional && version != resource_version_of(old)) {
    return refuse(modified(call.group_resource(), call.name));
  }
  if (target != Target::kOther) {
    object = with_metadata(object, "generation", generation_of(old) == 0 ? Value() : Value(generation_of(old)));
  }
  StrategyContext strategy_context = context(call, options.is_dry_run);
  if (target == Target::kObject) object = strategy.prepare_for_update(std::move(object), old, strategy_context);
  if (target == Target::kStatus) object = strategy.prepare_for_status_update(object, old, strategy_context);
  object = with_kept_metadata(std::move(object), old);

  // What all kinds have in common is checked by the generic layer first, and again by that of the kind.
  const kube::FieldErrors common = metadata_update_errors(object, old);
  kube::FieldErrors errors = common;
  errors.insert(errors.end(), common.begin(), common.end());
  kube::FieldErrors rules;
  if (target == Target::kObject) rules = strategy.validate_update(object, old, strategy_context);
  if (target == Target::kStatus) rules = strategy.validate_status_update(object, old, strategy_context);
  errors.insert(errors.end(), rules.begin(), rules.end());
  if (!errors.empty()) return refuse(invalid(kind, call.name, errors));
  return object;
}

Answer<Written> Writer::store_change(Call& call, const store::ObjectPtr& before, const Value& object,
                                     const WriteOptions& options) {
  const Value old = before->document();
  if (is_finished_by(object, old, *call.served->strategy)) {
    const Answer<Written> gone = take_away(call, before, object, options.is_dry_run);
    if (!gone) return refuse(gone.error());
    return Written{stamped(object, before->revision()), nullptr, 200};
  }
  // The very same object, in whatever order: nothing is written, and no watch gets an event.
  if (document::same_document(stamped(object, before->revision()), old)) return Written{old, before, 200};
  if (options.is_dry_run) return Written{stamped(object, before->revision()), nullptr, 200};

  const Value final_object = stamped(object, store_.next_revision());
  const std::string text = document::write_json(final_object);
  if (text.size() > kLargestObject && text.size() > before->text().size()) return refuse(too_large(text.size()));
  store::StoreResult<store::ObjectPtr> stored =
      store_.put(before->key(), text, before->revision(), kept_parsed(*call.served, final_object));
  if (!stored) return refuse(store_failure(stored.error(), call.group_resource(), call.name));
  (*stored)->set_derived(derive_facts(final_object, *call.served));
  return Written{final_object, *stored, 200};
}

}  // namespace loadline::apiserver
