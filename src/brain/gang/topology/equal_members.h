#pragma once

#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// Members that need the same of a node, and that nodes take alike; their labels may differ, as those of an indexed
/// Job's pods do. In the order of the members.
using EqualMembers = std::vector<cluster::PodId>;

/// Whether the two need the same of a node. Pods of different specs are alike only if they have neither volumes,
/// claims, ports nor rules about other pods.
bool are_alike(const cluster::Cluster& cluster, cluster::PodId a, cluster::PodId b);

/// The members by kind. The kind that demands the largest share of any resource of the cluster comes first: what is
/// hardest to place is placed first. O(members × kinds + nodes).
std::vector<EqualMembers> equal_members(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                                        std::span<const cluster::PodId> members);

}  // namespace loadline::gang
