#pragma once

#include <vector>

#include "brain/gang/topology/domain_tree.h"

namespace loadline::gang {

/// The tree that labels of nodes make. A domain is named by the values of the labels from the broadest down: racks of
/// one name in two blocks are two. A node that lacks a level's label is outside that level and all narrower ones. With
/// one label, this is the flat view of Kubernetes' topology-aware scheduling. O(nodes × levels).
/// Source: Kueue, KEP-2724; KAI and Grove have the same shape.
DomainTree tree_of_labels(const cluster::Cluster& cluster, const std::vector<cluster::TopologyLevel>& levels);

/// Whether the node is still in the domain that such a tree has it in: its labels may have changed.
bool is_in_place(const cluster::Cluster& cluster, const DomainTree& tree, cluster::NodeId node);

}  // namespace loadline::gang
