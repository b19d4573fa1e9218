#include "hosts/controllers/deployment_status.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/condition.h"

namespace loadline::controllers {
namespace {

constexpr std::string_view kAvailableReason = "NewReplicaSetAvailable";
constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";
constexpr std::string_view kPaused = "DeploymentPaused";

kube::WorkloadCondition condition(std::string_view type, std::string_view status, std::string_view reason,
                                  std::string message, Instant now) {
  return {std::string(type),  std::string(status), std::string(reason),
          std::move(message), whole_seconds(now),  whole_seconds(now)};
}

std::string_view reason_of(const kube::WorkloadCondition* condition) {
  return condition == nullptr ? std::string_view() : std::string_view(condition->reason);
}

/// `ReplicaSet "web-5d4f7c9b8b" <is progressing.>`
std::string sentence(const kube::Deployment& deployment, const Rollout& rollout, std::string_view rest) {
  const std::string subject =
      rollout.newest ? "ReplicaSet \"" + rollout.newest->name + '"' : "Deployment \"" + deployment.metadata.name + '"';
  return subject + ' ' + std::string(rest);
}

template <class Visit>
void for_each_part(const Rollout& rollout, Visit visit) {
  for (const Part& part : rollout.old) visit(part);
  if (rollout.newest) visit(*rollout.newest);
}

/// Nothing if a ReplicaSet that its controller has observed does not report terminating pods.
std::optional<std::int32_t> count_terminating(const Rollout& rollout) {
  std::optional<std::int32_t> sum = 0;
  for_each_part(rollout, [&](const Part& part) {
    if (part.status.terminating_replicas) {
      if (sum) *sum += *part.status.terminating_replicas;
    } else if (part.status.observed_generation != 0) {
      sum.reset();
    }
  });
  return sum;
}

/// Pods came, became ready or available, or old ones went.
bool has_progressed(const kube::DeploymentStatus& before, const kube::DeploymentStatus& now) {
  return now.updated_replicas > before.updated_replicas ||
         now.replicas - now.updated_replicas < before.replicas - before.updated_replicas ||
         now.ready_replicas > before.ready_replicas || now.available_replicas > before.available_replicas;
}

bool is_out_of_time(const kube::Deployment& deployment, const kube::DeploymentStatus& status, Instant now) {
  const auto* const progress = kube::find_condition(status.conditions, kProgressing);
  if (progress == nullptr || progress->reason == kAvailableReason) return false;
  if (progress->reason == kTimedOut) return true;
  const Instant from = progress->last_update_time.value_or(Instant{});
  return from + Duration::seconds(*deployment.progress_deadline_seconds) < now;
}

/// Says the same again with the time of now, which set_condition() would not.
void note_progress(const kube::Deployment& deployment, const Rollout& rollout, kube::DeploymentStatus& status,
                   Instant now) {
  auto progress =
      condition(kProgressing, "True", "ReplicaSetUpdated", sentence(deployment, rollout, "is progressing."), now);
  if (const auto* current = kube::find_condition(status.conditions, kProgressing)) {
    if (current->status == "True") progress.last_transition_time = current->last_transition_time;
    remove_condition(status.conditions, kProgressing);
  }
  set_condition(status.conditions, std::move(progress));
}

void estimate_progress(const kube::Deployment& deployment, const Rollout& rollout, const kube::DeploymentStatus& before,
                       kube::DeploymentStatus& status, Instant now) {
  if (is_complete(deployment, status)) {
    set_progress(status, "True", kAvailableReason, sentence(deployment, rollout, "has successfully progressed."), now);
  } else if (has_progressed(before, status)) {
    note_progress(deployment, rollout, status, now);
  } else if (is_out_of_time(deployment, status, now)) {
    set_progress(status, "False", kTimedOut, sentence(deployment, rollout, "has timed out progressing."), now);
  }
}

/// The newest one's failure, or else that of the first that has one.
const kube::WorkloadCondition* failure_of(const Rollout& rollout) {
  const kube::WorkloadCondition* found = nullptr;
  for_each_part(rollout, [&](const Part& part) {
    const auto* failure = kube::find_condition(part.status.conditions, kReplicaFailure);
    const bool is_newest = rollout.newest && &part == &*rollout.newest;
    if (failure != nullptr && (found == nullptr || is_newest)) found = failure;
  });
  return found;
}

}  // namespace

bool has_progress_deadline(const kube::Deployment& deployment) {
  return deployment.progress_deadline_seconds &&
         *deployment.progress_deadline_seconds != std::numeric_limits<std::int32_t>::max();
}

void set_progress(kube::DeploymentStatus& status, std::string_view value, std::string_view reason, std::string message,
                  Instant now) {
  set_condition(status.conditions, condition(kProgressing, value, reason, std::move(message), now));
}

void note_pause(const kube::Deployment& deployment, kube::DeploymentStatus& status, Instant now) {
  if (!has_progress_deadline(deployment)) return;
  const std::string_view reason = reason_of(kube::find_condition(status.conditions, kProgressing));
  if (reason == kTimedOut) return;
  if (deployment.paused && reason != kPaused) {
    set_progress(status, "Unknown", kPaused, "Deployment is paused", now);
  } else if (!deployment.paused && reason == kPaused) {
    set_progress(status, "Unknown", "DeploymentResumed", "Deployment is resumed", now);
  }
}

bool is_complete(const kube::Deployment& deployment, const kube::DeploymentStatus& status) {
  return status.updated_replicas == deployment.replicas && status.replicas == deployment.replicas &&
         status.available_replicas == deployment.replicas &&
         status.observed_generation >= deployment.metadata.generation;
}

kube::DeploymentStatus count_parts(const kube::Deployment& deployment, const Rollout& rollout,
                                   const kube::DeploymentStatus& before, Instant now) {
  kube::DeploymentStatus status;
  status.observed_generation = deployment.metadata.generation;
  status.collision_count = before.collision_count;
  status.conditions = before.conditions;
  std::int32_t wanted = 0;
  for_each_part(rollout, [&](const Part& part) {
    wanted += part.wanted();
    status.replicas += part.status.replicas;
    status.ready_replicas += part.status.ready_replicas;
    status.available_replicas += part.status.available_replicas;
  });
  if (rollout.newest) status.updated_replicas = rollout.newest->status.replicas;
  status.unavailable_replicas = std::max(0, wanted - status.available_replicas);
  status.terminating_replicas = count_terminating(rollout);
  const bool enough = status.available_replicas >= deployment.replicas - rollout.max_unavailable();
  set_condition(status.conditions, enough ? condition("Available", "True", "MinimumReplicasAvailable",
                                                      "Deployment has minimum availability.", now)
                                          : condition("Available", "False", "MinimumReplicasUnavailable",
                                                      "Deployment does not have minimum availability.", now));
  return status;
}

kube::DeploymentStatus rollout_status(const kube::Deployment& deployment, const Rollout& rollout,
                                      const kube::DeploymentStatus& before, Instant now) {
  kube::DeploymentStatus status = count_parts(deployment, rollout, before, now);
  if (!has_progress_deadline(deployment)) {
    remove_condition(status.conditions, kProgressing);
  } else {
    // A rollout that was complete stays so while nothing else runs: what is missing then is no lack of progress.
    const bool was_complete = status.replicas == status.updated_replicas &&
                              reason_of(kube::find_condition(before.conditions, kProgressing)) == kAvailableReason;
    if (!was_complete) estimate_progress(deployment, rollout, before, status, now);
  }
  if (const auto* failure = failure_of(rollout)) {
    kube::WorkloadCondition passed_on = *failure;
    passed_on.last_update_time = failure->last_transition_time;
    set_condition(status.conditions, std::move(passed_on));
  } else {
    remove_condition(status.conditions, kReplicaFailure);
  }
  return status;
}

std::optional<Duration> next_progress_check(const kube::Deployment& deployment, const kube::DeploymentStatus& status,
                                            Instant now) {
  const auto* const progress = kube::find_condition(status.conditions, kProgressing);
  if (!has_progress_deadline(deployment) || progress == nullptr) return std::nullopt;
  if (is_complete(deployment, status) || progress->reason == kTimedOut || progress->reason == kAvailableReason) {
    return std::nullopt;
  }
  const Instant from = progress->last_update_time.value_or(Instant{});
  // A second more: times in conditions are cut to seconds.
  const Duration left = from + Duration::seconds(std::int64_t{*deployment.progress_deadline_seconds} + 1) - now;
  return std::max(left, Duration::seconds(1));
}

}  // namespace loadline::controllers
