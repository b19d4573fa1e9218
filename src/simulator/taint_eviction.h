#pragma once

#include <optional>

#include "base/time.h"
#include "cluster/cluster.h"

namespace loadline::simulator {

/// How long the pod may stay on the node in the face of its NoExecute taints: nothing if for good, zero if it must leave at once.
/// The shortest tolerationSeconds among the tolerations in use decides; one without seconds sets no limit.
/// Source: pkg/controller/tainteviction, v1.36.
std::optional<Duration> time_to_stay(const cluster::NodeFacts& node, const cluster::PodShape& pod);

}  // namespace loadline::simulator
