#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The operator of RayClusters. Source: ray-project/kuberay v1.6.2.
[[nodiscard]] Operator kuberay_operator();

}  // namespace loadline::operators
