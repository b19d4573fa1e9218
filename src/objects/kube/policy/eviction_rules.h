#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/policy/pod_disruption_budget.h"

namespace loadline::kube {

// Which pods the eviction API lets go, by the budgets that cover them.
//
//   the pod                                               what it needs
//   has finished, is Pending, or is being deleted         no budget is asked
//   no budget covers it                                   nothing
//   several budgets cover it                              it stays: the API does not support that
//   is not ready, and the budget says AlwaysAllow         nothing
//   is not ready, and currentHealthy >= desiredHealthy    nothing, if any are desired
//   any other                                             one of the budget's disruptions
//
// Example: minAvailable 2, two ready pods and one that crashes: the one that crashes goes, a ready one stays.
// What the API does beside that (preconditions, what it writes into pod and budget) stands where the API is served.
// kube-scheduler has another rule for victims of a preemption: placement/budget_use.h.
// Source: pkg/registry/core/pod/storage/eviction.go, v1.36.

/// What is asked about a pod.
struct PodToEvict {
  PodPhase phase = PodPhase::kRunning;
  bool is_ready = true;
  bool is_being_deleted = false;
};

PodToEvict pod_to_evict(const Pod& pod);

/// The pod is over, is on its way, or never ran: no budget keeps it.
bool is_beyond_budgets(const PodToEvict& pod);

/// What is asked about a budget.
struct BudgetState {
  UnhealthyPodEvictionPolicy policy = UnhealthyPodEvictionPolicy::kIfHealthyBudget;
  bool is_observed = true;  ///< false: its status is of an earlier generation
  std::int64_t allowed = 0;
  std::int64_t current_healthy = 0;
  std::int64_t desired_healthy = 0;
  std::size_t disrupted_pods = 0;  ///< evictions that its controller has not confirmed
  /// Of a budget whose pods were counted just now, as its status says nothing: whether they could be. Nothing: its
  /// status says what it allows.
  std::optional<bool> is_countable = std::nullopt;
};

BudgetState budget_state(const PodDisruptionBudget& budget);

/// A pod and the budgets that cover it, by numbers that its caller gives them.
struct CoveredPod {
  PodToEvict pod;
  std::vector<std::size_t> budgets;
};

/// Why pods stay.
struct EvictionRefusal {
  enum class Reason : std::uint8_t {
    kSeveralBudgets,        ///< cover `pod`
    kNotObserved,           ///< the budget has changed, and its controller has not looked at it since
    kNegativeAllowance,     ///< it allows less than none, which no controller says
    kTooManyDisruptedPods,  ///< more than kMostDisruptedPods
    kTooFewDisruptions,     ///< it allows fewer than are `wanted`
  };

  Reason reason = Reason::kTooFewDisruptions;
  std::size_t pod = 0;     ///< kSeveralBudgets: its place among those that were asked about
  std::size_t budget = 0;  ///< any other reason; and the disruptions that are wanted of it, and that it allows
  std::int64_t wanted = 0;
  std::int64_t allowed = 0;

  friend bool operator==(const EvictionRefusal&, const EvictionRefusal&) = default;
};

inline constexpr std::size_t kMostDisruptedPods = 2000;

/// How whoever asked spells what a refusal speaks of.
struct RefusalNames {
  std::string pod = "the pod";       ///< that several budgets cover
  std::vector<std::string> budgets;  ///< "ml/train": the one that refuses, or those that cover the pod
};

/// "PodDisruptionBudget ml/train allows 1 of 2 disruptions": why pods stay, for people who have asked for them to go.
/// The API server answers clients in other words, upstream's. `state`: of the budget that refuses.
std::string refusal_text(const EvictionRefusal& refusal, const RefusalNames& names, const BudgetState& state = {});

/// So many disruptions are used up, by budget; none: the pods go without.
using BudgetDraws = std::map<std::size_t, std::int64_t>;

/// Whether the pods may leave: all of them together, or none. A budget has to allow all that draw on it; otherwise the
/// first pod with several budgets is named, or else the first budget by number. `state_of` is asked only about budgets
/// that matter. O(budgets of the pods).
tl::expected<BudgetDraws, EvictionRefusal> answer_eviction(std::span<const CoveredPod> pods,
                                                           const std::function<BudgetState(std::size_t)>& state_of);

}  // namespace loadline::kube
