#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "brain/gang/maintenance.h"
#include "foundation/base/time.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What is known of the run of a pod.
struct PodRun {
  gang::MemberRun known;
  std::int64_t gpus = 0;
  bool is_managed = false;  ///< a controller brings it back
};
using PodRuns = std::map<PodName, PodRun>;

/// Of the pods that are on nodes. How long a pod runs it says itself, or its workload says it, as in a plan.
/// O(objects × log objects).
PodRuns runs_of(const kube::Objects& cluster);

/// The work that these pods lose if they stop together at that time: run time × GPUs. They begin again together from
/// the oldest checkpoint that any of them says, or from their start. Example: two pods of 8 GPUs with checkpoints of
/// 11:00 and 11:30 stop at 12:00: 16 GPU-hours. O(runs).
std::int64_t lost_gpu_seconds(std::span<const PodRun> runs, Instant at);

}  // namespace loadline::simulator
