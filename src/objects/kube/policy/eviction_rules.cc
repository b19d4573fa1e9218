#include "objects/kube/policy/eviction_rules.h"

#include <optional>

#include "objects/kube/core/pod_readiness.h"

namespace loadline::kube {
namespace {

using Reason = EvictionRefusal::Reason;

/// What is not ready is not counted, so that nothing is disrupted if it goes.
bool lets_unready_pods_go(const BudgetState& budget) {
  if (budget.policy == UnhealthyPodEvictionPolicy::kAlwaysAllow) return true;
  return budget.desired_healthy > 0 && budget.current_healthy >= budget.desired_healthy;
}

/// In upstream's order.
std::optional<Reason> refuses(const BudgetState& budget, std::int64_t wanted) {
  if (!budget.is_observed) return Reason::kNotObserved;
  if (budget.allowed < 0) return Reason::kNegativeAllowance;
  if (budget.disrupted_pods > kMostDisruptedPods) return Reason::kTooManyDisruptedPods;
  if (budget.allowed < wanted) return Reason::kTooFewDisruptions;
  return std::nullopt;
}

}  // namespace

PodToEvict pod_to_evict(const Pod& pod) {
  return {pod.status.phase, is_ready(pod), pod.metadata.deletion_timestamp.has_value()};
}

bool is_beyond_budgets(const PodToEvict& pod) {
  return pod.is_being_deleted || pod.phase == PodPhase::kPending || pod.phase == PodPhase::kSucceeded ||
         pod.phase == PodPhase::kFailed;
}

BudgetState budget_state(const PodDisruptionBudget& budget) {
  BudgetState state;
  if (budget.unhealthy_pod_eviction_policy) state.policy = *budget.unhealthy_pod_eviction_policy;
  state.is_observed = budget.observed_generation >= budget.metadata.generation;
  state.allowed = budget.disruptions_allowed.value_or(0);
  state.current_healthy = budget.current_healthy;
  state.desired_healthy = budget.desired_healthy;
  state.disrupted_pods = budget.disrupted_pods.size();
  return state;
}

tl::expected<BudgetDraws, EvictionRefusal> answer_eviction(std::span<const CoveredPod> pods,
                                                           const std::function<BudgetState(std::size_t)>& state_of) {
  BudgetDraws draws;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto& [pod, budgets] = pods[i];
    if (is_beyond_budgets(pod) || budgets.empty()) continue;
    if (budgets.size() > 1) return tl::unexpected(EvictionRefusal{.reason = Reason::kSeveralBudgets, .pod = i});
    if (!pod.is_ready && lets_unready_pods_go(state_of(budgets.front()))) continue;
    ++draws[budgets.front()];
  }
  for (const auto& [budget, wanted] : draws) {
    const BudgetState state = state_of(budget);
    if (const std::optional<Reason> reason = refuses(state, wanted)) {
      return tl::unexpected(
          EvictionRefusal{.reason = *reason, .budget = budget, .wanted = wanted, .allowed = state.allowed});
    }
  }
  return draws;
}

}  // namespace loadline::kube
