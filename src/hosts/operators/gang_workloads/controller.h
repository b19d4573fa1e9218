#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// Make the PodGroups of workloads that start whole, as their annotation says, and which they control: one controller
/// for each kind. A group's minimum follows the workload, as it is scaled. Groups of a LeaderWorkerSet that it has no
/// more are removed. Of a workload that holds room for its later pods they make the Reservations, too (rooms.h), before
/// the groups; they go when the workload ends or is suspended.
[[nodiscard]] Controllers make_gang_workload_controllers();

}  // namespace loadline::operators
