#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// volcano: its Jobs.
[[nodiscard]] Operator volcano_operator();

}  // namespace loadline::operators
