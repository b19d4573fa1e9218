#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators::kueue {

/// Of pods that wait in queues by themselves, and of groups of them (pod_group.h).
[[nodiscard]] Controllers make_pod_controllers();

}  // namespace loadline::operators::kueue
