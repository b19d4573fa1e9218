#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// scheduler-plugins: the status of its PodGroups.
[[nodiscard]] Operator scheduler_plugins_operator();

}  // namespace loadline::operators
