#include "brain/gang/victim_cost.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "brain/placement/budget_use.h"

namespace loadline::gang {

namespace {

/// Less is rather a victim.
auto preference(const EvictionUnit& unit) {
  return std::tuple(unit.priority, !unit.is_surplus, unit.gpu_seconds, unit.pods.size(), unit.pod_seconds);
}

}  // namespace

Budgets disruption_budgets(const cluster::Cluster& cluster) {
  return [&cluster]() -> Overdraws {
    if (cluster.budgets().empty()) return nullptr;
    return [use = std::make_shared<placement::BudgetUse>(cluster)](cluster::PodId pod) { return use->overdraws(pod); };
  };
}

VictimCost cost_of(std::span<const EvictionUnit* const> units, const Budgets& budgets) {
  const Overdraws overdraws = budgets ? budgets() : nullptr;
  VictimCost cost;
  cost.highest_priority = std::numeric_limits<std::int32_t>::min();
  for (const EvictionUnit* unit : units) {
    cost.highest_priority = std::max<std::int64_t>(cost.highest_priority, unit->priority);
    cost.jobs += unit->is_surplus ? 0 : 1;
    cost.gpu_seconds += unit->gpu_seconds;
    cost.pod_seconds += unit->pod_seconds;
    cost.pods += std::ssize(unit->pods);
    if (!overdraws) continue;
    for (const cluster::PodId pod : unit->pods) cost.budget_violations += overdraws(pod) ? 1 : 0;
  }
  return cost;
}

VictimRules recommended_rules(const cluster::Cluster& cluster) {
  const Budgets budgets = disruption_budgets(cluster);
  return {budgets, [budgets](std::span<const EvictionUnit* const> units) { return cost_of(units, budgets); },
          [](const EvictionUnit& a, const EvictionUnit& b) { return preference(a) < preference(b); }};
}

}  // namespace loadline::gang
