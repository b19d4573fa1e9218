#include "brain/gang/victim_cost.h"

#include <algorithm>
#include <limits>

#include "brain/placement/budget_use.h"

namespace loadline::gang {

VictimCost cost_of(const cluster::Cluster& cluster, std::span<const EvictionUnit* const> units) {
  placement::BudgetUse budgets(cluster);
  VictimCost cost;
  cost.highest_priority = std::numeric_limits<std::int32_t>::min();
  for (const EvictionUnit* unit : units) {
    cost.highest_priority = std::max<std::int64_t>(cost.highest_priority, unit->priority);
    cost.jobs += unit->is_surplus ? 0 : 1;
    cost.gpu_seconds += unit->gpu_seconds;
    cost.pod_seconds += unit->pod_seconds;
    cost.pods += std::ssize(unit->pods);
    if (budgets.empty()) continue;
    for (const cluster::PodId pod : unit->pods) cost.budget_violations += budgets.overdraws(pod) ? 1 : 0;
  }
  return cost;
}

}  // namespace loadline::gang
