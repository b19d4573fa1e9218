#pragma once

#include <string>

#include "brain/cluster/cluster.h"
#include "brain/gang/topology/topology_refusal.h"

namespace loadline::gang {

/// A sentence without an end. Of a name that is not known it says which was probably meant. REQUIRES: the node that it
/// tells of is in the cluster.
std::string text(const cluster::Cluster& cluster, const TopologyRefusal& refusal);

}  // namespace loadline::gang
