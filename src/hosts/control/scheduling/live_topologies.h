#pragma once

#include <functional>

#include "brain/cluster/cluster.h"
#include "hosts/controllers/controller.h"

namespace loadline::control {

/// Keeps the topologies of the model like the objects that describe them: Topologies of Kueue and of KAI, Grove's
/// ClusterTopologyBindings, Volcano's HyperNodes. `changed` hears of every change, as groups that wait may fit now.
/// What it is given outlives the subscriptions.
void follow_topologies(controllers::Subscriptions& subscriptions, cluster::Cluster& cluster,
                       std::function<void()> changed);

}  // namespace loadline::control
