#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/candidate.h"
#include "simulator/planning.h"

namespace loadline::advice {

/// What the engine says to a candidate.
struct Probed {
  std::string node;
  std::vector<std::string> victims;  ///< pods it would preempt there
};

/// Whether a probe can tell: not of edits that add nodes, replicas or quota.
[[nodiscard]] bool can_probe(const Remedy& remedy);

/// Asks the engine about the pod in the cluster as the plan left it, with the edits made and everybody else where they
/// are; pods that wait with a better claim have their turn first. Nothing: no node would have it. The cluster is as
/// before when it returns. Cost: one decision a waiting pod with a better claim; edits on nodes cost
/// Cluster::update_node() twice. REQUIRES: can_probe(candidate.remedy).
std::optional<Probed> probe(simulator::Planning& planning, std::size_t subject, const Candidate& candidate);

}  // namespace loadline::advice
