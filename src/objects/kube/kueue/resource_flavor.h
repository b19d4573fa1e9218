#pragma once

#include <string>
#include <vector>

#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// Kueue's ResourceFlavor, v1beta1 and v1beta2: a sort of nodes that quota is given of.
struct ResourceFlavor {
  ObjectMeta metadata;
  StringMap node_labels;                ///< of its nodes; admitted pods get them as their node selector
  std::vector<Taint> node_taints;       ///< of its nodes; a workload has to tolerate NoSchedule and NoExecute
  std::vector<Toleration> tolerations;  ///< that admitted pods get
  std::string topology;                 ///< the name of a KueueTopology; empty: its pods may lie anywhere
};

}  // namespace loadline::kube
