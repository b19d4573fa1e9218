#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Volcano's HyperNode, topology.volcano.sh/v1alpha1: nodes, or narrower HyperNodes, that are near each other.
struct HyperNode {
  struct Member {
    std::string type;     ///< Node, HyperNode
    std::string name;     ///< exactMatch
    std::string pattern;  ///< regexMatch
    std::optional<LabelSelector> labels;
  };
  ObjectMeta metadata;
  std::int32_t tier = 0;  ///< the lower, the nearer
  std::string tier_name;
  std::vector<Member> members;
};

}  // namespace loadline::kube
