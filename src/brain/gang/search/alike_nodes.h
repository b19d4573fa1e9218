#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/search/member_kinds.h"

namespace loadline::gang {

/// By node: the first of the nodes that no filter tells from it as long as no member is on either. Equal are their
/// labels but for a hostname that no other node has, taints, what they offer, and the pods on them; and no member asks
/// for nodes by name, has volumes, or passes filters of which nothing is known: else every node is one of its own.
/// O(nodes × (labels + pods)).
std::vector<std::size_t> alike_nodes(const cluster::Cluster& cluster, const MemberKinds& kinds,
                                     std::span<const cluster::NodeId> nodes);

}  // namespace loadline::gang
