#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/verbs/writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

Answer<void> check_preconditions(const Call& call, const DeleteOptions& options, const Value& object) {
  const GroupResource of_kind(call.resource().kind.group, call.resource().kind.kind);
  if (options.uid && *options.uid != uid_of(object)) {
    return refuse(conflict(of_kind, call.name,
                           fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                                       "object might have been deleted and then recreated",
                                       *options.uid, uid_of(object))));
  }
  if (options.resource_version && *options.resource_version != resource_version_of(object)) {
    return refuse(conflict(of_kind, call.name,
                           fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                                       "ResourceVersion in record ({}). The object might have been modified",
                                       *options.resource_version, resource_version_of(object))));
  }
  return {};
}

/// What the options want done with dependents, else what a finalizer of the object says already.
Propagation wanted_propagation(const DeleteOptions& options, const std::vector<std::string_view>& finalizers,
                               const Traits& traits) {
  if (options.orphan_dependents) return *options.orphan_dependents ? Propagation::kOrphan : Propagation::kBackground;
  if (options.propagation != Propagation::kUnset) return options.propagation;
  for (const std::string_view finalizer : finalizers) {
    if (finalizer == kOrphan) return Propagation::kOrphan;
    if (finalizer == kForeground) return Propagation::kForeground;
  }
  return traits.orphans_by_default ? Propagation::kOrphan : Propagation::kBackground;
}

/// The finalizers with those of the garbage collector as the propagation wants them.
std::vector<std::string_view> finalizers_for(const DeleteOptions& options, const Value& object, const Traits& traits) {
  const std::vector<std::string_view> before = finalizers_of(object);
  const Propagation propagation = wanted_propagation(options, before, traits);
  std::vector<std::string_view> after;
  std::copy_if(before.begin(), before.end(), std::back_inserter(after),
               [](std::string_view name) { return name != kOrphan && name != kForeground; });
  if (propagation == Propagation::kOrphan) after.push_back(kOrphan);
  if (propagation == Propagation::kForeground) after.push_back(kForeground);
  // The same set in another order is no change.
  return std::is_permutation(before.begin(), before.end(), after.begin(), after.end()) ? before : after;
}

Value marked(Value object, Instant at, std::int64_t grace_period_seconds) {
  if (!is_being_deleted(object) && generation_of(object) > 0) {
    object = with_metadata(object, "generation", Value(generation_of(object) + 1));
  }
  object = with_metadata(object, "deletionTimestamp", Value(format_rfc3339(at)));
  return with_metadata(object, "deletionGracePeriodSeconds", Value(grace_period_seconds));
}

/// Deletes that come again may only shorten the time that is left. Nothing: it stays as it is.
std::optional<Value> with_shorter_grace_period(const Value& object, std::int64_t period, Instant now) {
  const std::int64_t before = deletion_grace_period_of(object).value_or(0);
  if (period >= before) return std::nullopt;
  const std::optional<Instant> ends = parse_rfc3339(document::text_at(object, {"metadata", "deletionTimestamp"}));
  Instant sooner = ends.value_or(now) + Duration::seconds(period - before);
  if (sooner < now) {
    sooner = now;
    if (period != 0) period = 1;
  }
  return marked(object, sooner, period);
}

Written answer(const Call& call, const Value& object, bool is_gone) {
  if (is_gone && !call.served->stored->returns_deleted) {
    return Written{success(call.group_resource(), name_of(object), uid_of(object)), nullptr, 200, true};
  }
  return Written{object, nullptr, 200};
}

}  // namespace

Answer<Written> Writer::remove(Call& call, const DeleteOptions& options) {
  const std::string_view warning = call.served->strategy->warning_on_delete();
  if (!warning.empty() && !options.orphan_dependents && options.propagation == Propagation::kUnset) {
    call.warnings.emplace_back(warning);
  }
  const store::ObjectPtr before = store_.get(call.key(call.name));
  if (before == nullptr) return refuse(not_found(call.group_resource(), call.name));
  const Value old = before->document();
  const AdmissionRequest request{AdmissionRequest::Operation::kDelete, call, options.is_dry_run, &old};
  if (const Answer<void> verdict = admission_.review(request, Value()); !verdict) return refuse(verdict.error());
  if (const Answer<void> verdict = check_preconditions(call, options, old); !verdict) return refuse(verdict.error());

  const Instant now = loop_.now();
  const std::optional<std::int64_t> grace = call.served->strategy->grace_period(old, options);
  Value object = old;
  bool lives_on = false;
  if (grace && is_being_deleted(old) && deletion_grace_period_of(old).value_or(0) != 0) {
    const std::optional<Value> sooner = options.grace_period_seconds
                                            ? with_shorter_grace_period(old, *options.grace_period_seconds, now)
                                            : std::nullopt;
    if (!sooner) return answer(call, old, false);
    object = *sooner;
    lives_on = deletion_grace_period_of(object).value_or(0) > 0;
  } else if (grace && !is_being_deleted(old)) {
    object = marked(old, now + Duration::seconds(*grace), *grace);
    lives_on = *grace > 0;
  }
  const Strategy& strategy = *call.served->strategy;
  WriteOptions write;
  write.is_dry_run = options.is_dry_run;
  if (strategy.is_held(object)) return store_change(call, before, strategy.marked_as_deleted(object, now), write);
  const std::vector<std::string_view> finalizers = finalizers_for(options, object, strategy.traits());
  object = with_finalizers(object, finalizers);
  if (!finalizers.empty() && !lives_on) {
    const std::optional<Instant> ends = parse_rfc3339(document::text_at(object, {"metadata", "deletionTimestamp"}));
    object = marked(object, ends && *ends < now ? *ends : now, 0);
  }
  if (lives_on || !finalizers.empty()) return store_change(call, before, object, write);
  // Upstream writes the end of the grace period before it takes the object away, so its last version says so.
  return take_away(call, before, object, options.is_dry_run);
}

Answer<Written> Writer::take_away(Call& call, const store::ObjectPtr& before, const Value& last, bool is_dry_run) {
  if (is_dry_run) return answer(call, last, true);
  const Value final_object = stamped(last, store_.next_revision());
  store::StoreResult<store::ObjectPtr> gone =
      store_.remove(before->key(), before->revision(), document::write_json(final_object), final_object);
  if (!gone) return refuse(store_failure(gone.error(), call.group_resource(), call.name));
  return answer(call, final_object, true);
}

}  // namespace loadline::apiserver
