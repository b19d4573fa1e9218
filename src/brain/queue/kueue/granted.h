#pragma once

#include "brain/queue/kueue/kueue_scheduler.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::queue::kueue {

/// What a workload that has quota was given, as its status says it: of each pod set the flavors, the count, and what of
/// each resource its pods use. REQUIRES: it has quota.
[[nodiscard]] kube::WorkloadAdmission granted(const KueueScheduler& scheduler, WorkloadId workload);

}  // namespace loadline::queue::kueue
