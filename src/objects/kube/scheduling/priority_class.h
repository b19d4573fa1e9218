#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct PriorityClass {
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool global_default = false;
  std::optional<PreemptionPolicy> preemption_policy;
  std::string description;
};

}  // namespace loadline::kube
