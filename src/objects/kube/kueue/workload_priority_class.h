#pragma once

#include <cstdint>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Kueue's WorkloadPriorityClass, v1beta1 and v1beta2: a priority in queues, which pods have nothing of.
struct WorkloadPriorityClass {
  ObjectMeta metadata;
  std::int32_t value = 0;
};

}  // namespace loadline::kube
