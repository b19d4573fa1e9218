#include "objects/kube/core/pod_readiness.h"

#include "objects/kube/condition.h"

namespace loadline::kube {

bool is_ready(const Pod& pod) { return has_true_condition(pod.status.conditions, "Ready"); }

std::optional<Instant> ready_since(const Pod& pod) {
  const Condition* ready = find_condition(pod.status.conditions, "Ready");
  return ready != nullptr && ready->status == "True" ? ready->last_transition_time : std::nullopt;
}

bool is_available(const Pod& pod, std::int32_t min_ready_seconds, Instant now) {
  if (!is_ready(pod)) return false;
  if (min_ready_seconds == 0) return true;
  const auto since = ready_since(pod);
  return since && *since + Duration::seconds(min_ready_seconds) <= now;
}

std::optional<Duration> available_after(const Pod& pod, std::int32_t min_ready_seconds, Instant now) {
  const auto since = ready_since(pod);
  if (!since || min_ready_seconds <= 0) return std::nullopt;
  const Duration left = *since + Duration::seconds(min_ready_seconds) - now;
  return left > Duration{} ? std::optional(left) : std::nullopt;
}

bool is_terminating(const Pod& pod) { return pod.metadata.deletion_timestamp && !pod.finished(); }

}  // namespace loadline::kube
