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

/// Puts the pod on the node, with all that it claims there: the one way to do so. Its nomination ends; the placeholder
/// that it `consumes`, if that is valid, has its room no more. Returns the volumes that were chosen for its claims.
/// REQUIRES: it fits there, and is on no node.
std::vector<cluster::ChosenVolume> put(cluster::Cluster& cluster, placement::Scheduler& scheduler, const Place& place,
                                       cluster::PodId consumes = {});

/// Tries to place a group in the cluster as it stands. True: it starts, and its members are in their places. False:
/// some may be, too. Whoever asks has a Visibility::kSeen transaction open, and rolls back.
using TryPlace = std::function<bool()>;

}  // namespace loadline::gang
