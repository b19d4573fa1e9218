#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "brain/cluster/cluster.h"
#include "brain/gang/eviction_units.h"

namespace loadline::gang {

/// What it costs that these units leave, in the order in which it is weighed: less is better.
struct VictimCost {
  std::int64_t budget_violations = 0;  ///< pods that no disruption budget allows to go
  std::int64_t highest_priority = 0;
  std::int64_t jobs = 0;         ///< units that lose their run; a group goes on without its surplus members
  std::int64_t gpu_seconds = 0;  ///< work that is lost
  std::int64_t pods = 0;
  std::int64_t pod_seconds = 0;  ///< rather those that have run for less, also if they hold no GPU
  friend auto operator<=>(const VictimCost&, const VictimCost&) = default;
};

/// O(pods × budgets). REQUIRES: no pod is in two of them.
VictimCost cost_of(const cluster::Cluster& cluster, std::span<const EvictionUnit* const> units);

}  // namespace loadline::gang
