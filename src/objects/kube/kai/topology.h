#pragma once

#include <vector>

#include "objects/kube/kueue/topology.h"

namespace loadline::kube {

/// KAI's Topology, v1alpha1: as Kueue's, and its levels may have other names.
struct KaiTopology {
  ObjectMeta metadata;
  std::vector<NodeLabelLevel> levels;
};

}  // namespace loadline::kube
