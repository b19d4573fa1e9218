#pragma once

#include <cstdint>
#include <vector>

#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// The priority classes above a priority whose pods may preempt, the lowest few first. The system's
/// own classes are not for user workloads, and are left out.
std::vector<UntriedRemedy> higher_classes(const kube::Objects& objects, std::int32_t priority);

}  // namespace loadline::advice
