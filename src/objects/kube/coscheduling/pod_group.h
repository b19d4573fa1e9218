#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foundation/base/time.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct CoschedulingStatus {
  std::string phase;        ///< Pending, Scheduling, Running, Finished, Failed; empty: no controller has seen the group
  std::string occupied_by;  ///< the owners of the first pod
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::optional<Instant> schedule_start_time;
  friend bool operator==(const CoschedulingStatus&, const CoschedulingStatus&) = default;
};

/// Pods that start together, as the scheduler-plugins' Coscheduling has them: those with its name in the label
/// scheduling.x-k8s.io/pod-group (scheduling.x-k8s.io/v1alpha1).
struct CoschedulingPodGroup {
  ObjectMeta metadata;
  std::int32_t min_member = 0;
  std::optional<std::int32_t> schedule_timeout_seconds;
  CoschedulingStatus status;
};

}  // namespace loadline::kube
