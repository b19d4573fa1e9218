#pragma once

#include <functional>

#include "brain/cluster/cluster.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// Keeps the topologies of the model like the objects that describe them: Topologies of Kueue and of KAI, Grove's
/// ClusterTopologyBindings, Volcano's HyperNodes. `changed` hears of every change, as groups that wait may fit now.
/// What it is given outlives the subscriptions.
void follow_topologies(watching::Subscriptions& subscriptions, cluster::Cluster& cluster,
                       std::function<void()> changed);

}  // namespace loadline::scheduler
