#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "cluster/cluster.h"

namespace loadline::simulator {

/// Seconds beyond which nobody waits: what would happen later never does, and no sum of times overflows.
inline constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 60 * 60;

/// How long the pod may stay on the node in the face of its NoExecute taints: nothing if for good, zero if it must
/// leave at once. The shortest tolerationSeconds among the tolerations in use decides; one without seconds, or with
/// more than a century, sets no limit. Source: pkg/controller/tainteviction, v1.36.
std::optional<Duration> time_to_stay(const cluster::NodeFacts& node, const cluster::PodShape& pod);

}  // namespace loadline::simulator
