#pragma once

#include <optional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/simulated_pods.h"
#include "hosts/simulator/simulation.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// The group that the pod belongs to, or did before it left. O(1) for pods that the cluster knows.
[[nodiscard]] std::optional<cluster::GroupName> group_of(const SimulatedPod& subject, const cluster::Cluster& cluster);

/// The unit's planned start, as of its last turn; nothing: it has none.
[[nodiscard]] std::optional<StartPlan> start_of(const decision::Unit& unit, const cluster::Cluster& cluster,
                                                const SimulatedPods& pods, const Simulation& simulation);

/// What became of the pod groups: those of the input in its order, those `made` of it, then those that only pods speak
/// of, in order of their first pod. REQUIRES: the simulation has run. O(pods × log groups).
std::vector<PlannedGroup> planned_groups(const kube::Objects& objects, const kube::Objects& made,
                                         const cluster::Cluster& cluster, const SimulatedPods& pods,
                                         const Simulation& simulation);

}  // namespace loadline::simulator
