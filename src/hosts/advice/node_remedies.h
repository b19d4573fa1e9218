#pragma once

#include <vector>

#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// For every class of nodes, by what keeps the pod from it: the edits that would remove all of its obstacles, on the
/// pod, on the node where that is possible, or by another workload's leaving. Of nodes that differ only in how much is
/// free the one that lacks least is taken. The classes nearest to fitting are looked at, a few dozen at most.
std::vector<UntriedRemedy> node_candidates(const simulator::Planning& planning, const Target& target,
                                           const kube::PodSpec& spec,
                                           const std::vector<std::vector<placement::Obstacle>>& obstacles);

}  // namespace loadline::advice
