#pragma once

#include <string>
#include <string_view>

#include "hosts/advice/explanation.h"

namespace loadline::report {

/// One obstacle of a group of nodes as a clause, with the numbers of the node that comes nearest: "nvidia.com/gpu:
/// needs 2, at most 1 free (t4-b)". Kubernetes' own words where there is nothing to add to them.
std::string group_obstacle_text(const advice::GroupObstacle& obstacle, std::size_t nodes);

/// What a taint of Kubernetes' own tells by its key: "not ready", "memory pressure".
std::string trouble_text(std::string_view key);

/// An amount as the scheduler counts it (milli-units of cpu) for a reader.
std::string scheduler_amount(const std::string& resource, std::int64_t amount);

}  // namespace loadline::report
