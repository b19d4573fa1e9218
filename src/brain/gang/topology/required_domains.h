#pragma once

#include <optional>
#include <vector>

#include "brain/gang/topology/domain_trees.h"

namespace loadline::gang {

/// The nodes of each domain that may have all members of the group: those of its required level. If some members are
/// on nodes, it is their domain alone, and none if they are in several. Nothing: the group as a whole has no required
/// level, or asks for one that is not known. O(domains + nodes).
std::optional<std::vector<std::vector<cluster::NodeId>>> required_domains(const cluster::Cluster& cluster,
                                                                          DomainTrees& trees, cluster::GroupId group);

}  // namespace loadline::gang
