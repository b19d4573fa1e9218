#include "brain/cluster/disruption_budgets.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::cluster {

DisruptionBudget compile_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed, SymbolTable& symbols) {
  DisruptionBudget compiled;
  compiled.name_space = symbols.intern(budget.metadata.namespace_);
  compiled.name = budget.metadata.name;
  compiled.selector = PodSelector::of(budget.selector, symbols);
  compiled.allowed = allowed;
  for (const auto& [pod, at] : budget.disrupted_pods) compiled.disrupted_pods.push_back(pod);
  return compiled;
}

std::vector<DisruptionBudget>::iterator DisruptionBudgets::find(Symbol name_space, std::string_view name) {
  return std::find_if(budgets_.begin(), budgets_.end(), [&](const DisruptionBudget& budget) {
    return budget.name_space == name_space && budget.name == name;
  });
}

bool DisruptionBudgets::add(DisruptionBudget budget) {
  REQUIRES(!undo_.is_open());
  const auto found = find(budget.name_space, budget.name);
  if (found == budgets_.end()) {
    budgets_.push_back(std::move(budget));
    return true;
  }
  if (*found == budget) return false;
  *found = std::move(budget);
  return true;
}

bool DisruptionBudgets::remove(Symbol name_space, std::string_view name) {
  REQUIRES(!undo_.is_open());
  const auto found = find(name_space, name);
  if (found == budgets_.end()) return false;
  budgets_.erase(found);
  return true;
}

bool DisruptionBudgets::allow(std::size_t budget, std::int32_t pods) {
  REQUIRES(budget < budgets_.size());
  if (budgets_[budget].allowed == pods) return false;
  undo_.record({budget, budgets_[budget].allowed});
  budgets_[budget].allowed = pods;
  return true;
}

bool DisruptionBudgets::roll_back(Mark mark) {
  const bool changed = undo_.steps().size() > mark;
  undo_.roll_back(mark, [&](const Allowed& step) { budgets_[step.budget].allowed = step.before; });
  return changed;
}

void DisruptionBudgets::replace_all(std::vector<DisruptionBudget> budgets) {
  REQUIRES(!undo_.is_open());
  budgets_ = std::move(budgets);
}

}  // namespace loadline::cluster
