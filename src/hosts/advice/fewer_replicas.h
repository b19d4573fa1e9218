#pragma once

#include <optional>

#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// As many pods of the workload as have a node; nothing if none has one, or if it has no replicas to speak of.
std::optional<UntriedRemedy> fewer_replicas(const simulator::Planning& planning, const Target& target);

}  // namespace loadline::advice
