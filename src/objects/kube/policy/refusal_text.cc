#include <fmt/format.h>

#include "objects/kube/policy/eviction_rules.h"

namespace loadline::kube {
namespace {

using Reason = EvictionRefusal::Reason;

/// What follows the budget's name.
std::string shortage_text(const EvictionRefusal& refusal, const BudgetState& state) {
  if (refusal.allowed > 0) return fmt::format("allows {} of {} disruptions", refusal.allowed, refusal.wanted);
  if (!state.is_countable) return "allows no disruption";
  if (!*state.is_countable) return "allows no disruption: not every pod it covers has a controller with replicas";
  return fmt::format("needs {} healthy pod{} and has {}", state.desired_healthy, state.desired_healthy == 1 ? "" : "s",
                     state.current_healthy);
}

}  // namespace

std::string refusal_text(const EvictionRefusal& refusal, const RefusalNames& names, const BudgetState& state) {
  if (refusal.reason == Reason::kSeveralBudgets) {
    return fmt::format("{} has more than one PodDisruptionBudget ({}, {}), which the eviction API does not support",
                       names.pod, names.budgets.at(0), names.budgets.at(1));
  }
  const std::string budget = "PodDisruptionBudget " + names.budgets.at(0) + ' ';
  switch (refusal.reason) {
    case Reason::kNotObserved:
      return budget + "has changed, and its controller has not counted it since";
    case Reason::kTooManyDisruptedPods:
      return budget + "has too many evictions that its controller has not confirmed";
    case Reason::kSeveralBudgets:
    case Reason::kNegativeAllowance:
    case Reason::kTooFewDisruptions:
      break;
  }
  return budget + shortage_text(refusal, state);
}

}  // namespace loadline::kube
