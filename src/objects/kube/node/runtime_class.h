#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct RuntimeClassOverhead {
  ResourceList pod_fixed;
};

struct RuntimeClassScheduling {
  StringMap node_selector;
  std::vector<Toleration> tolerations;
};

/// node.k8s.io/v1 RuntimeClass: how containers of a pod are run, what that costs, and on which nodes it is possible.
struct RuntimeClass {
  ObjectMeta metadata;
  std::string handler;
  std::optional<RuntimeClassOverhead> overhead;
  std::optional<RuntimeClassScheduling> scheduling;
};

}  // namespace loadline::kube
