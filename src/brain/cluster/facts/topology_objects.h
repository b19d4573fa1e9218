#pragma once

#include <span>
#include <string_view>

#include "brain/cluster/cluster.h"
#include "objects/kube/grove/cluster_topology_binding.h"
#include "objects/kube/kai/topology.h"
#include "objects/kube/kueue/topology.h"
#include "objects/kube/objects.h"
#include "objects/kube/volcano/hyper_node.h"

namespace loadline::cluster {

/// The name of the one topology that all HyperNodes make together.
inline constexpr std::string_view kHyperNodeTopology = "hypernodes";

TopologySpec topology_of(const kube::KueueTopology& topology);
TopologySpec topology_of(const kube::KaiTopology& topology);
/// Its domains are other names of the levels.
TopologySpec topology_of(const kube::ClusterTopologyBinding& binding);
TopologySpec topology_of(std::span<const kube::HyperNode* const> hyper_nodes, SymbolTable& symbols);

/// Makes known what the objects say. Of topologies of one name the one of the later kind counts: Kueue's, KAI's,
/// Grove's. REQUIRES: no transaction is open.
void set_topologies(const kube::Objects& objects, Cluster& cluster);

}  // namespace loadline::cluster
