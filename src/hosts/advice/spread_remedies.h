#pragma once

#include <vector>

#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// Labels to select where a spread constraint counts domains whose nodes could never take the pod, for lack of the
/// device it asks for: with such a label in the nodeSelector those nodes count no more, and the constraint stays as
/// strict as it is. `obstacles` is by node. O(nodes · labels).
std::vector<UntriedRemedy> spread_candidates(const std::vector<kube::Node>& nodes, const kube::PodSpec& spec,
                                             const std::vector<std::vector<placement::Obstacle>>& obstacles);

}  // namespace loadline::advice
