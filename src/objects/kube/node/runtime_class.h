#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// A handler called like the class, as far as it can be: a class may be called by a DNS subdomain, a handler by a DNS
/// label. Without dots, of 63 bytes at most.
[[nodiscard]] std::string handler_for(std::string_view name);

}  // namespace loadline::kube
