#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "objects/kube/core/pod.h"

namespace loadline::scheduler {

/// What Volcano calls the status of a task, which is a pod of a group. Source: getTaskStatus,
/// pkg/scheduler/api/helpers.go, Volcano v1.15.
enum class TaskStatus : std::uint8_t {
  kPending,
  kBinding,  ///< a node was chosen; the API server has not said so yet
  kBound,
  kRunning,
  kReleasing,  ///< it is being deleted
  kSucceeded,
  kFailed,
  kUnknown,
};
inline constexpr const char* kTaskStatusNames[] = {"Pending",   "Binding",   "Bound",  "Running",
                                                   "Releasing", "Succeeded", "Failed", "Unknown"};

/// As the API server has the pod.
[[nodiscard]] inline TaskStatus task_status_of(const kube::Pod& pod) {
  const bool is_leaving = pod.metadata.deletion_timestamp.has_value();
  switch (pod.status.phase) {
    case kube::PodPhase::kRunning:
      return is_leaving ? TaskStatus::kReleasing : TaskStatus::kRunning;
    case kube::PodPhase::kPending:
      if (is_leaving) return TaskStatus::kReleasing;
      return pod.spec->node_name.empty() ? TaskStatus::kPending : TaskStatus::kBound;
    case kube::PodPhase::kSucceeded:
      return TaskStatus::kSucceeded;
    case kube::PodPhase::kFailed:
      return TaskStatus::kFailed;
    case kube::PodPhase::kUnknown:
      break;
  }
  return TaskStatus::kUnknown;
}

/// How many pods of a group have each status.
struct TaskCounts {
  std::array<std::int64_t, std::size(kTaskStatusNames)> counts{};

  [[nodiscard]] std::int64_t& operator[](TaskStatus status) { return counts[static_cast<std::size_t>(status)]; }
  [[nodiscard]] std::int64_t operator[](TaskStatus status) const { return counts[static_cast<std::size_t>(status)]; }
  [[nodiscard]] std::int64_t all() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }
  friend bool operator==(const TaskCounts&, const TaskCounts&) = default;
};

/// The counts where so many pods are on nodes for the scheduler: those of which the API server does not know yet are
/// being bound.
[[nodiscard]] inline TaskCounts with_placed(TaskCounts tasks, std::int64_t placed) {
  const std::int64_t known = tasks[TaskStatus::kBound] + tasks[TaskStatus::kRunning] + tasks[TaskStatus::kUnknown];
  const std::int64_t binding = std::clamp<std::int64_t>(placed - known, 0, tasks[TaskStatus::kPending]);
  tasks[TaskStatus::kPending] -= binding;
  tasks[TaskStatus::kBinding] += binding;
  return tasks;
}

}  // namespace loadline::scheduler
