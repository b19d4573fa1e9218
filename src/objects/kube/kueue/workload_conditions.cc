#include "objects/kube/kueue/workload_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/kube/condition.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kueue/workload_schema.h"

namespace loadline::kube {
namespace {

/// In bytes. Source: TruncateConditionMessage, pkg/util/api.
constexpr std::size_t kLongestMessage = 32 * 1024;

Instant whole_seconds(Instant at) { return {at.nanoseconds - at.nanoseconds % 1'000'000'000}; }

std::string truncated(std::string message) {
  constexpr std::string_view kSuffix = " ...";
  if (message.size() <= kLongestMessage) return message;
  message.resize(kLongestMessage - kSuffix.size());
  return message.append(kSuffix);
}

bool says(const KueueWorkload& workload, std::string_view type) {
  return has_true_condition(workload.status.conditions, type);
}

MetaCondition condition_of(const KueueWorkload& workload, std::string_view type, bool status, std::string_view reason,
                           std::string message, Instant now) {
  return {.type = std::string(type),
          .status = status ? "True" : "False",
          .observed_generation = workload.metadata.generation,
          .last_transition_time = whole_seconds(now),
          .reason = std::string(reason),
          .message = truncated(std::move(message))};
}

/// A condition that was true is over for that reason.
void reset_condition(KueueWorkload& workload, std::string_view type, std::string_view reason, Instant now) {
  const MetaCondition* before = find_condition(workload.status.conditions, type);
  if (before == nullptr || before->status != "True") return;
  set_condition(workload, condition_of(workload, type, false, reason, "Previously: " + before->message, now));
}

const char* name_of_state(CheckState state) {
  constexpr const char* kNames[] = {"Retry", "Rejected", "Pending", "Ready"};
  return kNames[static_cast<std::size_t>(state)];
}

void reset_checks(KueueWorkload& workload, Instant now) {
  for (AdmissionCheckStatus& check : workload.status.admission_checks) {
    if (check.state == CheckState::kPending) continue;
    AdmissionCheckStatus anew;
    anew.name = check.name;
    anew.message = fmt::format("Reset to Pending after eviction. Previously: {}", name_of_state(check.state));
    anew.last_transition_time = whole_seconds(now);
    anew.requeue_after_seconds = check.requeue_after_seconds;
    if (check.state == CheckState::kRetry) anew.retry_count = check.retry_count.value_or(0) + 1;
    check = std::move(anew);
  }
}

}  // namespace

bool has_quota_reservation(const KueueWorkload& workload) { return says(workload, "QuotaReserved"); }
bool is_admitted(const KueueWorkload& workload) { return says(workload, "Admitted"); }
bool is_evicted(const KueueWorkload& workload) { return says(workload, "Evicted"); }
bool is_finished(const KueueWorkload& workload) { return says(workload, "Finished"); }

bool has_admission_gate(const KueueWorkload& workload) {
  const auto gates = workload.metadata.annotations.find(kAdmissionGatedByAnnotation);
  return gates != workload.metadata.annotations.end() && !gates->second.empty();
}

bool is_admissible(const KueueWorkload& workload) {
  const MetaCondition* reserved = find_condition(workload.status.conditions, "QuotaReserved");
  const bool is_on_hold = reserved != nullptr && reserved->status == "False" && reserved->reason == "OnHold";
  return workload.active && !has_admission_gate(workload) && !is_finished(workload) &&
         !has_quota_reservation(workload) && !is_on_hold && !says(workload, "WaitingForReplacementPods");
}

bool has_check(const KueueWorkload& workload, CheckState state) {
  return std::ranges::any_of(workload.status.admission_checks,
                             [state](const AdmissionCheckStatus& check) { return check.state == state; });
}

bool has_all_checks_ready(const KueueWorkload& workload) {
  return std::ranges::all_of(workload.status.admission_checks,
                             [](const AdmissionCheckStatus& check) { return check.state == CheckState::kReady; });
}

Instant queued_since(const KueueWorkload& workload) {
  const MetaCondition* requeued = find_condition(workload.status.conditions, "Requeued");
  if (requeued != nullptr && requeued->last_transition_time) return *requeued->last_transition_time;
  return workload.metadata.creation_timestamp.value_or(Instant{});
}

bool set_condition(KueueWorkload& workload, MetaCondition condition) {
  std::vector<MetaCondition>& conditions = workload.status.conditions;
  const auto found = std::ranges::find(conditions, condition.type, &MetaCondition::type);
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (found->status == condition.status) condition.last_transition_time = found->last_transition_time;
  if (*found == condition) return false;
  *found = std::move(condition);
  return true;
}

void reserve_quota(KueueWorkload& workload, WorkloadAdmission admission, Instant now) {
  constexpr std::string_view kReason = "QuotaReserved";
  std::string message = fmt::format("Quota reserved in ClusterQueue {}", admission.cluster_queue);
  workload.status.admission = std::move(admission);
  set_condition(workload, condition_of(workload, "QuotaReserved", true, kReason, std::move(message), now));
  for (const char* type : {"Evicted", "Preempted"}) reset_condition(workload, type, kReason, now);
}

bool unreserve_quota(KueueWorkload& workload, std::string_view reason, std::string message, Instant now) {
  bool has_changed =
      set_condition(workload, condition_of(workload, "QuotaReserved", false, reason, std::move(message), now));
  if (workload.status.admission) {
    workload.status.admission.reset();
    has_changed = true;
  }
  return sync_admitted(workload, now) || has_changed;
}

bool sync_admitted(KueueWorkload& workload, Instant now) {
  const bool was_admitted = is_admitted(workload);
  const bool has_quota = has_quota_reservation(workload);
  const bool is_checked = has_all_checks_ready(workload);
  if (was_admitted == (has_quota && is_checked)) return false;
  MetaCondition condition =
      condition_of(workload, "Admitted", has_quota && is_checked, "Admitted", "The workload is admitted", now);
  if (!has_quota && !is_checked) {
    condition.reason = "NoReservationUnsatisfiedChecks";
    condition.message = "The workload has no reservation and not all checks ready";
  } else if (!has_quota) {
    condition.reason = "NoReservation";
    condition.message = "The workload has no reservation";
  } else if (!is_checked) {
    condition.reason = "UnsatisfiedChecks";
    condition.message = "The workload has not all checks ready";
  }
  if (was_admitted) {
    const MetaCondition* before = find_condition(workload.status.conditions, "Admitted");
    const Duration ran = now - before->last_transition_time.value_or(now);
    const std::int64_t seconds = ran.nanoseconds / 1'000'000'000;
    std::int32_t& past = workload.status.accumulated_past_execution_time_seconds;
    past = static_cast<std::int32_t>(std::clamp<std::int64_t>(past + seconds, 0, INT32_MAX));
  }
  return set_condition(workload, std::move(condition));
}

void evict(KueueWorkload& workload, std::string_view reason, std::string message, Instant now) {
  set_condition(workload, condition_of(workload, "Evicted", true, reason, std::move(message), now));
  workload.status.cluster_name.clear();
  reset_checks(workload, now);
  workload.status.unhealthy_nodes.clear();
}

void set_preempted(KueueWorkload& workload, std::string_view reason, std::string message, Instant now) {
  MetaCondition condition = condition_of(workload, "Preempted", true, reason, std::move(message), now);
  condition.observed_generation = 0;  // as upstream leaves it
  set_condition(workload, std::move(condition));
}

bool set_requeued(KueueWorkload& workload, std::string_view reason, std::string message, bool is_requeued,
                  Instant now) {
  return set_condition(workload, condition_of(workload, "Requeued", is_requeued, reason, std::move(message), now));
}

bool set_deactivation_target(KueueWorkload& workload, std::string_view reason, std::string message, Instant now) {
  return set_condition(workload, condition_of(workload, "DeactivationTarget", true, reason, std::move(message), now));
}

void postpone(KueueWorkload& workload, Instant requeue_at) {
  if (!workload.status.requeue_state) workload.status.requeue_state.emplace();
  std::optional<Instant>& known = workload.status.requeue_state->requeue_at;
  if (!known || *known < whole_seconds(requeue_at)) known = whole_seconds(requeue_at);
}

document::Value status_changes(const KueueWorkload& before, const KueueWorkload& after) {
  const document::Value was = encode_object(kKueueWorkloadStatusSchema, &before.status);
  const document::Value is = encode_object(kKueueWorkloadStatusSchema, &after.status);
  document::Object changes;
  for (const document::Member& member : is.object()) {
    const document::Value* known = was.find(member.key);
    if (known == nullptr || *known != member.value) changes.push_back(member);
  }
  for (const document::Member& member : was.object()) {
    if (is.find(member.key) == nullptr) changes.push_back({member.key, document::Value(), {}});
  }
  // They are read as names alone, and never written.
  if (!before.status.unhealthy_nodes.empty() && after.status.unhealthy_nodes.empty()) {
    changes.push_back({"unhealthyNodes", document::Value(), {}});
  }
  return document::Value(std::move(changes));
}

}  // namespace loadline::kube
