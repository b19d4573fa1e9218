#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// Make the PodGroups of workloads that start whole, as their annotation says, and which they control: one controller
/// for each kind. A group's minimum follows the workload, as it is scaled. Groups of a LeaderWorkerSet that it has no
/// more are removed.
[[nodiscard]] Controllers make_gang_workload_controllers();

}  // namespace loadline::operators
