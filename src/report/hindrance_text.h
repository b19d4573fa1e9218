#pragma once

#include <string>

#include "advice/explanation.h"

namespace loadline::report {

/// One obstacle of a group of nodes as a clause, with the numbers of the node that comes nearest: "nvidia.com/gpu:
/// needs 2, at most 1 free (t4-b)". Kubernetes' own words where there is nothing to add to them.
std::string hindrance_text(const advice::Hindrance& hindrance, std::size_t nodes);

/// An amount as the scheduler counts it (milli-units of cpu) for a reader.
std::string scheduler_amount(const std::string& resource, std::int64_t amount);

}  // namespace loadline::report
