#include "brain/cluster/ledgers/disruption_budgets.h"

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

void DisruptionBudgets::add(DisruptionBudget budget) {
  REQUIRES(!undo_.is_open());
  const auto found = find(budget.name_space, budget.name);
  if (found == budgets_.end()) {
    budgets_.push_back(std::move(budget));
  } else if (*found != budget) {
    *found = std::move(budget);
  } else {
    return;
  }
  ++version_;
}

void DisruptionBudgets::remove(Symbol name_space, std::string_view name) {
  REQUIRES(!undo_.is_open());
  const auto found = find(name_space, name);
  if (found == budgets_.end()) return;
  budgets_.erase(found);
  ++version_;
}

void DisruptionBudgets::allow(std::size_t budget, std::int32_t pods) {
  REQUIRES(budget < budgets_.size());
  if (budgets_[budget].allowed == pods) return;
  undo_.record({budget, budgets_[budget].allowed});
  budgets_[budget].allowed = pods;
  ++version_;
}

void DisruptionBudgets::roll_back() {
  if (!undo_.steps().empty()) ++version_;
  undo_.roll_back([&](const Allowed& step) { budgets_[step.budget].allowed = step.before; });
}

void DisruptionBudgets::replace_all(std::vector<DisruptionBudget> budgets) {
  REQUIRES(!undo_.is_open());
  budgets_ = std::move(budgets);
  ++version_;
}

}  // namespace loadline::cluster
