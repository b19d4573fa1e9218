#include "hosts/operators/kueue/lifecycle/workload_lifecycle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "objects/kube/condition.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using kube::CheckState;
using kube::KueueWorkload;
using kube::MetaCondition;
using kube::StopPolicy;

bool has_finalizer(const KueueWorkload& workload) {
  return std::ranges::find(workload.metadata.finalizers, kube::kResourceInUse) != workload.metadata.finalizers.end();
}

/// When the checks that ask for it may be tried again; nothing: none says when.
std::optional<Instant> retry_time(const KueueWorkload& workload) {
  std::optional<Instant> latest;
  for (const kube::AdmissionCheckStatus& check : workload.status.admission_checks) {
    if (check.state != CheckState::kRetry || !check.requeue_after_seconds || !check.last_transition_time) continue;
    const Instant at = *check.last_transition_time + Duration::seconds(*check.requeue_after_seconds);
    latest = std::max(latest.value_or(at), at);
  }
  return latest;
}

/// "AdmissionChecks in Retry state: \"a\" (no machines); \"b\""
std::string checks_text(const KueueWorkload& workload, CheckState state, std::string_view name) {
  std::vector<std::pair<std::string_view, std::string_view>> checks;
  for (const kube::AdmissionCheckStatus& check : workload.status.admission_checks) {
    if (check.state == state) checks.emplace_back(check.name, check.message);
  }
  std::ranges::sort(checks);
  std::vector<std::string> parts;
  for (const auto& [check, message] : checks) {
    parts.push_back(message.empty() ? fmt::format("{:?}", check) : fmt::format("{:?} ({})", check, message));
  }
  return fmt::format("AdmissionCheck{} in {} state: {}", checks.size() > 1 ? "s" : "", name, fmt::join(parts, "; "));
}

/// Whether its flavors are all of the queue's.
bool is_on_all_flavors(const kube::AdmissionCheckRule& rule, const kube::ClusterQueue& queue) {
  const auto names = [&](const kube::FlavorQuotas& flavor) {
    return std::ranges::find(rule.on_flavors, flavor.flavor) != rule.on_flavors.end();
  };
  return rule.on_flavors.empty() || std::ranges::all_of(queue.resource_groups, [&](const kube::ResourceGroup& group) {
           return std::ranges::all_of(group.flavors, names);
         });
}

/// One look at a Workload: each rule returns whether it has found what is to be done.
class Look {
 public:
  Look(const KueueWorkload& workload, const LifecycleFacts& facts) : facts_(facts) { step_.after = workload; }

  LifecycleStep run() {
    if (leaves_when_orphaned() || is_over() || waits_for_checks()) return std::move(step_);
    if (it().active ? goes_on() : is_deactivated()) return std::move(step_);
    if (follows_local_queue() || follows_gate() || follows_cluster_queue()) return std::move(step_);
    sync_reservation();
    if (!kube::has_quota_reservation(it())) return std::move(step_);
    if (is_evicted_by_checks() || is_stopped_by_local_queue() || is_stopped_by_cluster_queue()) return std::move(step_);
    if (!is_late() && !has_run_too_long()) wake_for_deadlines();
    return std::move(step_);
  }

 private:
  [[nodiscard]] KueueWorkload& it() { return step_.after; }
  [[nodiscard]] const MetaCondition* find(std::string_view type) {
    return kube::find_condition(it().status.conditions, type);
  }
  [[nodiscard]] bool says(std::string_view type, std::string_view status, std::string_view reason) {
    const MetaCondition* condition = find(type);
    return condition != nullptr && condition->status == status && condition->reason == reason;
  }
  void say(bool is_warning, std::string reason, std::string message) {
    step_.said.push_back({is_warning, std::move(reason), std::move(message)});
  }
  void again_after(Duration span) { step_.again_after = std::min(step_.again_after.value_or(span), span); }
  /// It is to leave. `cause`: why Kueue has deactivated it; empty: it has not.
  void evict(const std::string& reason, const std::string& message, const std::string& cause = {}) {
    const std::string suffix = cause.empty() ? "" : "DueTo" + cause;
    kube::evict(it(), reason + suffix, message, facts_.now);
    if (it().status.admission) say(false, "EvictedDueTo" + reason + suffix, message);
  }

  // ---- whether it is there -----------------------------------------------------------------------------------------
  bool leaves_when_orphaned() {
    if (!it().metadata.owner_references.empty()) return false;
    const bool is_leaving = it().metadata.deletion_timestamp.has_value();
    if (!is_leaving && !it().metadata.labels.contains(kube::kJobUid)) return false;
    if (!is_leaving && !kube::is_finished(it())) {
      kube::set_condition(it(), {.type = "Finished",
                                 .status = "True",
                                 .observed_generation = it().metadata.generation,
                                 .last_transition_time = facts_.now,
                                 .reason = "OwnerNotFound",
                                 .message = "The workload's owner no longer exists"});
      return true;
    }
    if (has_finalizer(it())) {
      step_.deed = LifecycleStep::Deed::kRemoveFinalizer;
      return true;
    }
    return is_leaving;
  }

  bool is_over() {
    if (!kube::is_finished(it())) return false;
    const std::optional<Duration>& kept = facts_.configuration.retention.after_finished;
    if (!kept) return true;
    const Instant at = find("Finished")->last_transition_time.value_or(Instant{}) + *kept;
    if (facts_.now < at) {
      again_after(at - facts_.now);
      return true;
    }
    step_.deed = LifecycleStep::Deed::kDelete;
    say(false, "Deleted", "Deleted finished workload due to elapsed retention");
    return true;
  }

  // ---- when it may wait for quota ----------------------------------------------------------------------------------
  bool waits_for_checks() {
    const std::optional<Instant> at = retry_time(it());
    if (!at || *at <= facts_.now) return false;
    const auto& known = it().status.requeue_state;
    if (known && known->requeue_at && *known->requeue_at >= *at) return false;
    kube::postpone(it(), *at);
    return true;
  }

  bool goes_on() {
    if (kube::has_true_condition(it().status.conditions, "DeactivationTarget")) {
      step_.deed = LifecycleStep::Deed::kDeactivate;
      return true;
    }
    auto& requeue = it().status.requeue_state;
    if (requeue && requeue->requeue_at) {
      if (*requeue->requeue_at > facts_.now) {
        again_after(*requeue->requeue_at - facts_.now);
        return true;
      }
      if (!kube::has_quota_reservation(it()) && !kube::is_admitted(it())) {
        requeue->requeue_at.reset();
        return true;
      }
    }
    if (says("Requeued", "False", "Deactivated")) {
      return kube::set_requeued(it(), "Reactivated", "The workload was reactivated", true, facts_.now);
    }
    if (!says("Requeued", "False", "PodsReadyTimeout") && !says("Requeued", "False", "AdmissionCheck")) return false;
    if (requeue) requeue->requeue_at.reset();
    return kube::set_requeued(it(), "BackoffFinished", "The workload backoff was finished", true, facts_.now);
  }

  bool is_deactivated() {
    const bool was_evicted = kube::is_evicted(it());
    if (was_evicted && !it().status.requeue_state) return false;
    const MetaCondition* target = find("DeactivationTarget");
    std::string message = "The workload is deactivated";
    const std::string cause = target == nullptr ? std::string() : target->reason;
    if (target != nullptr) message += " due to " + target->message;
    std::erase_if(it().status.conditions,
                  [](const MetaCondition& condition) { return condition.type == "DeactivationTarget"; });
    it().status.requeue_state.reset();
    if (!was_evicted) evict("Deactivated", message, cause);
    return true;
  }

  // ---- what its queues say -----------------------------------------------------------------------------------------
  [[nodiscard]] bool is_local_queue_active() const {
    return facts_.local_queue == nullptr || facts_.local_queue->stop_policy == StopPolicy::kNone;
  }

  bool follows_local_queue() {
    if (facts_.local_queue == nullptr || !is_local_queue_active()) return false;
    if (!says("Requeued", "False", "LocalQueueStopped")) return false;
    return kube::set_requeued(it(), "LocalQueueRestarted", "The LocalQueue was restarted after being stopped", true,
                              facts_.now);
  }

  bool follows_gate() {
    if (!facts_.configuration.enables("AdmissionGatedBy")) return false;
    const MetaCondition* reserved = find("QuotaReserved");
    const bool was_gated = reserved != nullptr && reserved->reason == "AdmissionGated";
    const bool is_gated = kube::has_admission_gate(it());
    if (was_gated == is_gated) return false;
    if (is_gated) {
      const std::string by(it().metadata.annotations.find(kube::kAdmissionGatedByAnnotation)->second);
      kube::unreserve_quota(it(), "AdmissionGated", "Admission is gated by: " + by, facts_.now);
      say(false, "AdmissionGated", "Workload admission is gated by: " + by);
    } else {
      kube::unreserve_quota(it(), "Pending", "AdmissionGatedBy cleared, waiting for quota reservation", facts_.now);
      say(false, "AdmissionGateCleared", "Admission gate cleared, workload is now admissible");
    }
    return true;
  }

  /// Only through a LocalQueue that is not stopped.
  [[nodiscard]] const kube::ClusterQueue* cluster_queue() const {
    return facts_.local_queue != nullptr && is_local_queue_active() ? facts_.cluster_queue : nullptr;
  }

  bool follows_cluster_queue() {
    const kube::ClusterQueue* queue = cluster_queue();
    if (queue == nullptr) return false;
    if (says("Requeued", "False", "ClusterQueueStopped") && queue->stop_policy == StopPolicy::kNone) {
      return kube::set_requeued(it(), "ClusterQueueRestarted", "The ClusterQueue was restarted after being stopped",
                                true, facts_.now);
    }
    return sync_checks(checks_of(it(), *queue));
  }

  bool sync_checks(const std::vector<std::string>& names) {
    std::vector<kube::AdmissionCheckStatus>& known = it().status.admission_checks;
    if (names.empty() && known.empty()) return false;
    const auto is_known = [&](const std::string& name) {
      return std::ranges::find(known, name, &kube::AdmissionCheckStatus::name) != known.end();
    };
    if (known.size() == names.size() && std::ranges::all_of(names, is_known)) return false;
    std::erase_if(known, [&](const kube::AdmissionCheckStatus& check) {
      return std::ranges::find(names, check.name) == names.end();
    });
    for (const std::string& name : names) {
      if (is_known(name)) continue;
      kube::AdmissionCheckStatus& check = known.emplace_back();
      check.name = name;
      check.last_transition_time = facts_.now;
    }
    std::ranges::sort(known, {}, &kube::AdmissionCheckStatus::name);
    return true;
  }

  // ---- what it is given --------------------------------------------------------------------------------------------
  /// Why no round looks at it; empty: one does.
  [[nodiscard]] std::string queue_blocker() {
    if (facts_.local_queue == nullptr) return fmt::format("LocalQueue {} doesn't exist", it().queue_name);
    if (!is_local_queue_active()) return fmt::format("LocalQueue {} is inactive", it().queue_name);
    const std::string& name = facts_.local_queue->cluster_queue;
    if (facts_.cluster_queue == nullptr) return fmt::format("ClusterQueue {} doesn't exist", name);
    const MetaCondition* active = kube::find_condition(facts_.cluster_queue->conditions, "Active");
    if (active != nullptr && active->status != "True") return fmt::format("ClusterQueue {} is inactive", name);
    return {};
  }

  void sync_reservation() {
    if (kube::is_admitted(it())) return;
    if (!kube::has_quota_reservation(it())) {
      std::string blocker = queue_blocker();
      if (!blocker.empty()) {
        kube::set_condition(it(), {.type = "QuotaReserved",
                                   .status = "False",
                                   .observed_generation = it().metadata.generation,
                                   .last_transition_time = facts_.now,
                                   .reason = "Inadmissible",
                                   .message = std::move(blocker)});
      }
    }
    if (!kube::sync_admitted(it(), facts_.now) || !kube::is_admitted(it())) return;
    const Instant reserved = find("QuotaReserved")->last_transition_time.value_or(facts_.now);
    say(false, "Admitted",
        fmt::format("Admitted by ClusterQueue {}, wait time since reservation was {:.0f}s",
                    it().status.admission ? it().status.admission->cluster_queue : "",
                    static_cast<double>((facts_.now - reserved).nanoseconds) / 1e9));
  }

  // ---- what takes it away again ------------------------------------------------------------------------------------
  bool is_evicted_by_checks() {
    if (kube::is_evicted(it())) return false;
    if (kube::has_check(it(), CheckState::kRejected)) {
      const std::string message = checks_text(it(), CheckState::kRejected, "Rejected");
      kube::set_deactivation_target(it(), "AdmissionCheck", message, facts_.now);
      say(true, "AdmissionCheckRejected", "Deactivated due to " + message);
      return true;
    }
    if (!kube::has_check(it(), CheckState::kRetry)) return false;
    evict("AdmissionCheck", "Evicted due to " + checks_text(it(), CheckState::kRetry, "Retry"));
    return true;
  }

  void lose_reservation(std::string message) {
    kube::unreserve_quota(it(), "Inadmissible", std::move(message), facts_.now);
  }

  bool is_stopped_by_local_queue() {
    const bool is_drained =
        facts_.local_queue != nullptr && facts_.local_queue->stop_policy == StopPolicy::kHoldAndDrain;
    if (kube::is_admitted(it())) {
      if (!is_drained || kube::is_evicted(it())) return false;
      evict("LocalQueueStopped", "The LocalQueue is stopped");
      return true;
    }
    if (facts_.local_queue == nullptr || facts_.local_queue->metadata.deletion_timestamp) {
      lose_reservation(fmt::format("LocalQueue {} is terminating or missing", it().queue_name));
      return true;
    }
    if (is_local_queue_active()) return false;
    lose_reservation(fmt::format("LocalQueue {} is stopped", it().queue_name));
    return true;
  }

  bool is_stopped_by_cluster_queue() {
    const kube::ClusterQueue* queue = cluster_queue();
    const StopPolicy policy = queue == nullptr ? StopPolicy::kNone : queue->stop_policy;
    if (kube::is_admitted(it())) {
      if (policy != StopPolicy::kHoldAndDrain || kube::is_evicted(it())) return false;
      evict("ClusterQueueStopped", "The ClusterQueue is stopped");
      return true;
    }
    const std::string name = facts_.local_queue == nullptr ? "" : facts_.local_queue->cluster_queue;
    if (queue == nullptr || queue->metadata.deletion_timestamp) {
      lose_reservation(fmt::format("ClusterQueue {} is terminating or missing", name));
      return true;
    }
    if (policy == StopPolicy::kNone) return false;
    lose_reservation(fmt::format("ClusterQueue {} is stopped", name));
    return true;
  }

  // ---- time --------------------------------------------------------------------------------------------------------
  /// When it is too late for its pods to be ready; nothing: it is not.
  [[nodiscard]] std::optional<Instant> ready_by() {
    const auto& wait = facts_.configuration.wait_for_pods_ready;
    if (!wait || !kube::is_admitted(it()) || !it().active || kube::is_evicted(it())) return std::nullopt;
    const MetaCondition* ready = find("PodsReady");
    if (ready != nullptr && ready->status == "True") return std::nullopt;
    if (ready == nullptr || ready->reason == "WaitForStart" || ready->reason == "PodsReady") {
      return find("Admitted")->last_transition_time.value_or(facts_.now) + wait->timeout;
    }
    if (ready->reason != "WaitForRecovery" || wait->recovery_timeout == Duration{}) return std::nullopt;
    return ready->last_transition_time.value_or(facts_.now) + wait->recovery_timeout;
  }

  bool is_late() {
    const std::optional<Instant> by = ready_by();
    if (!by || *by > facts_.now) return false;
    const kube::RequeuingStrategy& strategy = facts_.configuration.wait_for_pods_ready->requeuing_strategy;
    const std::int64_t count = (it().status.requeue_state ? it().status.requeue_state->count : 0) + std::int64_t{1};
    if (strategy.backoff_limit_count && count > *strategy.backoff_limit_count) {
      kube::set_deactivation_target(it(), "RequeuingLimitExceeded",
                                    "exceeding the maximum number of re-queuing retries", facts_.now);
      return true;
    }
    std::int64_t seconds = strategy.backoff_base_seconds;
    for (std::int64_t i = 1; i < count && seconds < strategy.backoff_max_seconds; ++i) seconds *= 2;
    seconds = std::min<std::int64_t>(seconds, strategy.backoff_max_seconds);
    kube::postpone(it(), facts_.now + Duration::seconds(seconds));
    it().status.requeue_state->count = static_cast<std::int32_t>(std::min<std::int64_t>(count, INT32_MAX));
    evict("PodsReadyTimeout",
          fmt::format("Exceeded the PodsReady timeout {}/{}", it().metadata.namespace_, it().metadata.name));
    return true;
  }

  /// When it has run as long as it may; nothing: there is no such time.
  [[nodiscard]] std::optional<Instant> over_by() {
    if (!it().maximum_execution_time_seconds || !kube::is_admitted(it())) return std::nullopt;
    const std::int64_t left =
        std::int64_t{*it().maximum_execution_time_seconds} - it().status.accumulated_past_execution_time_seconds;
    return find("Admitted")->last_transition_time.value_or(facts_.now) + Duration::seconds(left);
  }

  bool has_run_too_long() {
    const std::optional<Instant> by = over_by();
    if (!by || *by > facts_.now) return false;
    if (kube::has_true_condition(it().status.conditions, "DeactivationTarget")) return true;
    kube::set_deactivation_target(it(), "MaximumExecutionTimeExceeded", "exceeding the maximum execution time",
                                  facts_.now);
    it().status.accumulated_past_execution_time_seconds = 0;
    say(true, "MaximumExecutionTimeExceeded",
        fmt::format("The maximum execution time ({}s) exceeded", *it().maximum_execution_time_seconds));
    return true;
  }

  void wake_for_deadlines() {
    for (const std::optional<Instant>& at : {ready_by(), over_by()}) {
      if (at) again_after(*at - facts_.now);
    }
  }

  const LifecycleFacts& facts_;
  LifecycleStep step_;
};

}  // namespace

std::vector<std::string> checks_of(const KueueWorkload& workload, const kube::ClusterQueue& queue) {
  std::set<std::string> given;
  if (workload.status.admission) {
    for (const kube::PodSetAssignment& set : workload.status.admission->pod_set_assignments) {
      for (const auto& [resource, flavor] : set.flavors) given.insert(flavor);
    }
  }
  std::set<std::string> names;
  for (const kube::AdmissionCheckRule& rule : queue.admission_checks) {
    const bool is_needed =
        workload.status.admission
            ? rule.on_flavors.empty() ||
                  std::ranges::any_of(rule.on_flavors, [&](const auto& it) { return given.contains(it); })
            : is_on_all_flavors(rule, queue);
    if (is_needed) names.insert(rule.name);
  }
  return {names.begin(), names.end()};
}

LifecycleStep next_step(const KueueWorkload& workload, const LifecycleFacts& facts) {
  return Look(workload, facts).run();
}

}  // namespace loadline::operators::kueue
