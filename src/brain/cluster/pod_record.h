#pragma once

#include <cstdint>
#include <optional>

#include "brain/cluster/ids.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::cluster {

/// One pod that the model knows, placed or not; or a placeholder, see reservations.h.
struct PodRecord {
  Symbol name_space;
  ShapeId shape;
  NodeId node;  ///< invalid: not placed
  std::int32_t priority = 0;
  kube::PreemptionPolicy preemption_policy = kube::PreemptionPolicy::kPreemptLowerPriority;
  bool known = true;                       ///< false: it was removed, and its id waits to be reclaimed
  bool terminating = false;                ///< has a deletionTimestamp
  bool terminating_by_preemption = false;  ///< DisruptionTarget, reason PreemptionByScheduler
  std::optional<Instant> started;          ///< nullopt: not yet, which counts as "now"
  NodeId nominated;
  GroupId group;               ///< invalid: the pod is scheduled by itself
  Symbol workload;             ///< the Workload of Kueue that started it, in its namespace; invalid: none did
  ReservationId reservation;   ///< whose room it holds: a placeholder, which no API server knows; invalid: it is a pod
  std::uint32_t revision = 0;  ///< grows when the pod itself changes
  std::uint64_t uid = 0;       ///< order of creation; never another pod's
  friend bool operator==(const PodRecord&, const PodRecord&) = default;
};

}  // namespace loadline::cluster
