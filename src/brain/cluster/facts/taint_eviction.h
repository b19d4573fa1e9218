#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "brain/cluster/shapes/shape.h"
#include "foundation/base/time.h"

namespace loadline::cluster {

/// Seconds beyond which no eviction is awaited: what would happen later never does, and no sum of times overflows.
inline constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 60 * 60;

/// How long a pod may stay on its node in the face of NoExecute taints: nothing if for good, zero if it must leave at
/// once. Of each taint, the first toleration that matches is the one in use; the shortest tolerationSeconds among those
/// decides; one without seconds, or with more than a century, sets no limit. Source: pkg/controller/tainteviction,
/// v1.36.
std::optional<Duration> time_to_stay(std::span<const CompiledTaint> taints,
                                     std::span<const CompiledToleration> tolerations);

}  // namespace loadline::cluster
