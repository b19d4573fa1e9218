#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The operator of JobSets. Source: kubernetes-sigs/jobset v0.12.0.
[[nodiscard]] Operator jobset_operator();

}  // namespace loadline::operators
