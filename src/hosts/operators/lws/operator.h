#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The operator of LeaderWorkerSets. Source: kubernetes-sigs/lws v0.9.0.
[[nodiscard]] Operator lws_operator();

}  // namespace loadline::operators
