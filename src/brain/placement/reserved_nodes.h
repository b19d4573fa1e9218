#pragma once

#include <functional>

#include "brain/cluster/cluster.h"

namespace loadline::placement {

/// A node where room is held for a pod.
struct ReservedNode {
  cluster::NodeId node;
  cluster::PodId placeholder;  ///< that would go
};

/// The first node where room is held for the pod and that `fits` takes; invalid ids: none. The oldest reservation comes
/// first, its placeholders in order, each node once. Room for replacements is held for pods that complete a broken
/// group (cluster::ReservedFor), and if it is held by domain, where members of that group are. O(1) for pods that match
/// no reservation; else O(placeholders that were in vain + members of the group).
ReservedNode first_reserved_node(const cluster::Cluster& cluster, cluster::PodId pod,
                                 const std::function<bool(ReservedNode)>& fits);

/// Whether there is a reservation whose room the pod may consume somewhere. O(reservations that it matches).
bool may_use_reserved_room(const cluster::Cluster& cluster, cluster::PodId pod);

/// The placeholder that a pod uses up that goes where no room was held for it: one that waits for its own room itself,
/// so that a reservation is never for more pods than it says; none of a reservation that is refilled. Invalid: there is
/// none. O(1) for pods that match no
/// reservation; else O(placeholders).
cluster::PodId waiting_placeholder(const cluster::Cluster& cluster, cluster::PodId pod);

}  // namespace loadline::placement
