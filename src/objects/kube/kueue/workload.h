#pragma once

#include <cstdint>
#include <optional>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// What Kueue makes of a Job or of the pods of a group, which own it, to queue them: v1beta1 and v1beta2. Not to be
/// confused with Kubernetes' Workload.
struct KueueWorkload {
  ObjectMeta metadata;
  std::optional<std::int32_t> maximum_execution_time_seconds;  ///< after it was admitted; then Kueue ends it
};

}  // namespace loadline::kube
