#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "brain/gang/topology/domain_tree.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// How many members of a kind each node of a tree could take: by place in DomainTree::nodes().
using NodeRoom = std::vector<std::int64_t>;

/// Of each node: at most so many more pods like this one fit there, by what they request, how many pods it takes, host
/// ports, and rules that keep them apart. REQUIRES: one fits on each. O(nodes × resources).
std::vector<std::int64_t> most_on(const cluster::Cluster& cluster, cluster::PodId pod,
                                  std::span<const cluster::NodeId> nodes);

/// That, where the pod fits now, and 0 elsewhere. Exact for pods that share nothing but what nodes offer and slots for
/// pods; else an upper bound (devices, volumes, spreading), so that putting them there decides. Only nodes of the
/// domain count, and of `within`, by node; empty: all. O(nodes × filters).
NodeRoom room_for(const cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::PodId pod,
                  const DomainTree& tree, DomainIndex domain, const std::vector<bool>& within);

}  // namespace loadline::gang
