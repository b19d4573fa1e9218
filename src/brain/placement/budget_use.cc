#include "brain/placement/budget_use.h"

#include <algorithm>

namespace loadline::placement {

BudgetUse::BudgetUse(const cluster::Cluster& cluster) : cluster_(cluster) {
  for (const cluster::DisruptionBudget& budget : cluster.budgets()) left_.push_back(budget.allowed);
}

bool BudgetUse::overdraws(cluster::PodId pod) {
  const cluster::PodShape& shape = cluster_.shape_of(pod);
  if (left_.empty() || shape.labels.empty()) return false;
  bool overdrawn = false;
  const std::vector<cluster::DisruptionBudget>& budgets = cluster_.budgets();
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    const cluster::DisruptionBudget& budget = budgets[i];
    if (budget.name_space != shape.name_space || budget.selector.empty()) continue;
    if (!budget.selector.matches(shape.labels, cluster_.symbols())) continue;
    const auto& counted = budget.disrupted_pods;
    if (std::binary_search(counted.begin(), counted.end(), cluster_.pod_name(pod))) continue;
    overdrawn = --left_[i] < 0 || overdrawn;
  }
  return overdrawn;
}

}  // namespace loadline::placement
