#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// Grove v0.1.0-alpha.11: PodCliqueSets, and what they are made of.
[[nodiscard]] Operator grove_operator();

}  // namespace loadline::operators
