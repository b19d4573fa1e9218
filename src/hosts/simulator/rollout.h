#pragma once

#include <cstdint>
#include <vector>

#include "brain/workloads/workload.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// A workload whose controller replaces its pods.
struct Rollout {
  workloads::WorkloadReference workload;
  std::int64_t first_ordinal = 0;  ///< pods of a StatefulSet below it stay: spec.updateStrategy.rollingUpdate.partition
};

/// The workloads of `after` that were in `before` with another pod template, and whose controllers replace pods that
/// run: Deployments that are not paused, StatefulSets, DaemonSets, and CronJobs, whose next run is another one. A
/// template is another one if labels or anything that Loadline reads of the spec differs. Of a Job, whose template
/// cannot be changed, and of workloads that are updated OnDelete a note is added instead. O(objects).
std::vector<Rollout> changed_templates(const kube::Objects& before, const kube::Objects& after, Diagnostics& notes);

}  // namespace loadline::simulator
