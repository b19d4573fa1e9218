#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// What a profile's plugins have to say about the domains that a pod group could be in. A weight of 0: the profile has
/// disabled the plugin. Weights are those at MultiPoint; a profile's own sets for the points PlacementGenerate and
/// PlacementScore are not read.
/// Source: kube-scheduler v1.36 with the gate TopologyAwareWorkloadScheduling, apis/config/v1/default_plugins.go.
struct DomainScoring {
  bool heeds_topology = true;                 ///< TopologyPlacementGenerator
  std::int64_t fit = 1;                       ///< NodeResourcesFit, most_allocated_in()
  std::int64_t pods_count = 1;                ///< PodGroupPodsCount: 100 · pods / the most in any domain
  std::vector<kube::ResourceSpec> resources;  ///< of NodeResourcesFit's scoringStrategy
};

/// How full the nodes are, taken together, once these pods are on some of them: for each resource, min(requested,
/// capacity) · 100 / capacity over the sums, weighted by the resources' weights, in integers. Containers that request
/// nothing count as 100m and 200Mi. REQUIRES: the pods are on no node. O(resources × (nodes + pods)).
/// Source: kube-scheduler v1.36, scorePlacement, plugins/noderesources/resource_allocation.go.
std::int64_t most_allocated_in(const cluster::Cluster& cluster, std::span<const cluster::NodeId> nodes,
                               std::span<const cluster::PodId> pods, const std::vector<kube::ResourceSpec>& resources);

}  // namespace loadline::placement
