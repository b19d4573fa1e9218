#pragma once

#include <functional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// Where a member is, or would be.
struct Place {
  cluster::PodId pod;
  cluster::NodeId node;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Puts the member on the node, with all that it claims there; its nomination ends. Returns the volumes that were
/// chosen for its claims. REQUIRES: it fits there, and is on no node.
std::vector<cluster::ChosenVolume> put(cluster::Cluster& cluster, placement::Scheduler& scheduler, const Place& place);

/// Tries to place a group in the cluster as it stands. True: it starts, and its members are in their places. False:
/// some may be, too. Whoever asks has a Visibility::kSeen transaction open, and rolls back.
using TryPlace = std::function<bool()>;

}  // namespace loadline::gang
