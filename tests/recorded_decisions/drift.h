#pragma once

#include <string>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::recorded_decisions {

/// Something that the cluster keeps current and that no longer equals its recomputation.
struct Drift {
  std::string what;  ///< "incremental counter 3", "incremental requested cpu of n1", …
  std::string recomputed;
  std::string kept;
};

/// Compares every counter, every affinity term count and every sum of a node with its recomputation from the pods on
/// the nodes. Empty unless a change was counted wrongly. O(counters × placed pods).
std::vector<Drift> find_drift(const cluster::Cluster& cluster);

}  // namespace loadline::recorded_decisions
