#pragma once

#include <cstdint>
#include <vector>

#include "brain/gang/topology/domain_tree.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// How many members of a kind each node of a tree could take: by place in DomainTree::nodes().
using NodeRoom = std::vector<std::int64_t>;

/// At most so many pods like this one fit on each node, by what they demand that can be counted, host ports, and
/// rules that keep them apart; 0 where none fits now. Exact for pods that share nothing but what nodes offer and slots
/// for pods; else an upper bound (devices, volumes, spreading), so that putting them there decides. Only nodes of the
/// domain count, and of `within`, by node; empty: all. O(nodes × filters).
NodeRoom room_for(const cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::PodId pod,
                  const DomainTree& tree, DomainIndex domain, const std::vector<bool>& within);

}  // namespace loadline::gang
