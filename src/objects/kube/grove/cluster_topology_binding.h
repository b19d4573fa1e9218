#pragma once

#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Grove's ClusterTopologyBinding, v1alpha1: the labels of nodes that its names of domains stand for, the broadest
/// first.
struct ClusterTopologyBinding {
  struct Level {
    std::string domain;  ///< "rack"
    std::string key;     ///< the label
  };
  ObjectMeta metadata;
  std::vector<Level> levels;
};

}  // namespace loadline::kube
