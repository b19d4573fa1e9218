#pragma once

#include "brain/cluster/cluster.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What HyperNodes get wrong: members that are not there, or are in two that do not lie in each other. O(HyperNodes ×
/// nodes) if there are HyperNodes.
Diagnostics note_topology_faults(const kube::Objects& objects, const cluster::Cluster& cluster);

}  // namespace loadline::simulator
