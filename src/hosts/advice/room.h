#pragma once

#include <optional>

#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// The fewest pods of one other workload whose leaving would cover what the pod lacks on the node, workloads of low
/// priority first; nothing: no single workload's leaving would, or the node itself is too small. DaemonSets' pods,
/// those of kube-system and the pod's own siblings stay. What is no less important than the pod costs more. The edits
/// that the other obstacles need are the caller's.
std::optional<UntriedRemedy> make_room(const simulator::Planning& planning, const Target& target, cluster::NodeId node,
                                       const std::vector<placement::Obstacle>& obstacles);

/// The workload with so many fewer pods.
Scale scale_of(const simulator::Planning& planning, const simulator::WorkloadName& workload, std::size_t fewer);

}  // namespace loadline::advice
