#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "brain/gang/topology/domain_trees.h"

namespace loadline::gang {

/// Where the members of a group are that have a node, in the words of the topology that it asks for.
struct Whereabouts {
  /// A domain, and how many of the members are in it, on how many of its nodes.
  struct Part {
    std::string domain;
    std::size_t members = 0;
    std::size_t used_nodes = 0;
    std::size_t nodes = 0;
  };
  std::string level;  ///< of the domain that has all of them; empty: that is the whole cluster
  std::string alias;
  std::string domain;
  std::vector<Part> parts;  ///< that has some of them: the domain itself, or those of the next level, or of the slices'
};

/// Nothing: it asks for nothing, for something that is unknown, or has no member on a node.
std::optional<Whereabouts> whereabouts(const cluster::Cluster& cluster, DomainTrees& trees, cluster::GroupId group);

}  // namespace loadline::gang
