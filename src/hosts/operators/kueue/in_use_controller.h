#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators::kueue {

/// Let ClusterQueues and ResourceFlavors go that are being deleted and that nothing uses any more: a queue no Workload
/// that has its quota, a flavor no ClusterQueue. Source: Kueue v0.19.2, pkg/controller/core.
[[nodiscard]] Controllers make_in_use_controllers();

}  // namespace loadline::operators::kueue
