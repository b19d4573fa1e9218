#pragma once

#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

struct NodeLabelLevel {
  std::string node_label;
  std::string alias;  ///< another name of the level; empty: none, as always in Kueue's
};

/// Kueue's Topology, v1beta1 and v1beta2: labels by which nodes lie within each other, the broadest first.
struct KueueTopology {
  ObjectMeta metadata;
  std::vector<NodeLabelLevel> levels;
};

}  // namespace loadline::kube
