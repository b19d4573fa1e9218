#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brain/capacity/node_template.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// Something done to nodes: `nodes` as choose_nodes() reads it, `what` a taint or a label as kubectl writes it.
struct NodeEdit {
  std::string nodes;
  std::string what;
};

/// What a user means to do to a cluster. The steps are taken in the order of the members.
struct Change {
  kube::Objects added;               ///< applied as kubectl apply would
  std::vector<std::string> deleted;  ///< workloads as KIND/NAME or KIND/NAME.NAMESPACE
  std::vector<std::string> scaled;   ///< KIND/NAME=REPLICAS or KIND/NAME.NAMESPACE=REPLICAS
  std::vector<capacity::NodeTemplate> added_nodes;
  std::vector<std::string> uncordoned;
  std::vector<NodeEdit> labels;
  std::vector<NodeEdit> taints;
  std::vector<std::string> cordoned;
  std::vector<std::string> drained;
  std::vector<std::string> removed_nodes;
  /// Drained nodes are to be free by then: gangs leave them as a whole, after their next checkpoint. nullopt: at once.
  std::optional<Instant> drain_by;
  bool evicts_unmanaged = false;  ///< a drain also evicts pods that nothing brings back (kubectl drain --force)
};

/// A pod that the change itself takes away, before the cluster has reacted.
struct Departure {
  PodName pod;
  std::string why;        ///< "node l4-a is removed"
  bool intended = false;  ///< the change asks for this pod to go, or it has no purpose any more: nothing got worse
};

/// What a drain finds on a node.
struct DrainedNode {
  std::string node;
  std::vector<PodName> evicted;     ///< asked to leave; a disruption budget may hold them
  std::vector<PodName> unmanaged;   ///< stay, since no controller would bring them back
  std::vector<PodName> local_data;  ///< of the evicted: those that lose an emptyDir
  std::size_t daemons = 0;          ///< stay, as drains leave them
};

/// A cluster right after a change: what there is to plan, and what the change did on the way.
struct ChangedCluster {
  kube::Objects objects;
  std::vector<PodName> evictions;  ///< PlanOptions::evictions of the plan to come
  std::uint64_t replacements = 0;  ///< PlanOptions::replacements of the plan to come
  std::vector<Departure> departures;
  std::vector<DrainedNode> drains;
  std::vector<std::string> nodes_added;
  std::vector<std::string> nodes_removed;
  Diagnostics notes;
};

/// Changes a cluster that stands still (settled()).
///
/// Workloads: pods of a Deployment, StatefulSet or DaemonSet whose template changes are taken away, so that planning
/// creates them anew from the new one: the end of the rollout, without the surge on the way. Surplus pods go as their
/// controllers choose (workloads::surplus). Nodes: the pods of a removed node die, and controllers bring back theirs; a
/// drained one is cordoned, and its pods are to be evicted while planning. Errors: a text that cannot be read, or names
/// what is not there; workloads that make more than `most_pods` then. O(objects × log objects) and O(nodes) for each
/// step.
Result<ChangedCluster> apply(const Change& change, kube::Objects cluster, std::uint64_t replacements,
                             std::uint64_t seed, std::int64_t most_pods = kMostPlannedPods);

}  // namespace loadline::simulator
