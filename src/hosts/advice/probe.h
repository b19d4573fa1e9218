#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brain/capacity/node_template.h"
#include "hosts/advice/untried_remedy.h"
#include "hosts/simulator/planning.h"

namespace loadline::advice {

/// What the scheduler says to a candidate.
struct Probed {
  std::string node;
  std::vector<std::string> victims;  ///< pods it would preempt there
};

/// Whether a probe can tell: not of edits that add nodes, replicas or quota.
[[nodiscard]] bool can_probe(const Remedy& remedy);

/// Whether one node like another can be simulated by removing the pods of that one: neither the subject nor the pods
/// that wait before it have affinity or spread constraints, so that it does not matter which pods are counted where,
/// and the node is in order.
[[nodiscard]] bool can_imagine(const simulator::Planning& planning, std::size_t subject,
                               const capacity::NodeTemplate& nodes);

/// The candidate of one such node: what would have to leave are all but the pods of DaemonSets, which a new node gets
/// too. REQUIRES: can_imagine(). If it is placed on the node, it would be on the new one.
[[nodiscard]] UntriedRemedy imagined(const simulator::Planning& planning, const capacity::NodeTemplate& nodes);

/// Asks the scheduler about the pod in the cluster as the plan left it, with the edits made and all other pods where
/// they are; pods that wait with a better claim have their turn first. Nothing: no node would have it. The cluster is
/// as before when it returns. Cost: one decision a waiting pod with a better claim; edits on nodes cost
/// Cluster::update_node() twice. REQUIRES: can_probe(candidate.remedy), or imagined() made the candidate.
std::optional<Probed> probe(simulator::Planning& planning, std::size_t subject, const UntriedRemedy& candidate);

}  // namespace loadline::advice
