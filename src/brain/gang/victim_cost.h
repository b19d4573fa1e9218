#pragma once

#include <compare>
#include <cstdint>
#include <functional>
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

/// Asked about victims one after another: whether that one goes beyond what guards it, those before it being gone.
using Overdraws = std::function<bool(cluster::PodId)>;
/// Begins such a count. Null, as its result may be: nothing is guarded.
using Budgets = std::function<Overdraws()>;

/// By what victims are chosen among candidates. Whoever searches brings it: Kueue weighs whose quota is borrowed,
/// Volcano which queue has more than its share.
struct VictimRules {
  Budgets budgets;
  /// What it costs that these units leave together. A dialect may count other things in the fields than the
  /// recommended cost does: what compares less is better.
  std::function<VictimCost(std::span<const EvictionUnit* const>)> cost;
  /// Whether the first unit is rather a victim than the second, each by itself; a strict weak order, in which units of
  /// one priority stand together. Budgets are drawn on in that order.
  std::function<bool(const EvictionUnit&, const EvictionUnit&)> is_preferred;
};

/// Kubernetes' disruption budgets, by kube-scheduler's rule (placement/budget_use.h). The cluster outlives it.
Budgets disruption_budgets(const cluster::Cluster& cluster);

/// The fields as they are described. O(pods × budgets). REQUIRES: no pod is in two of the units.
VictimCost cost_of(std::span<const EvictionUnit* const> units, const Budgets& budgets);

/// What decisions go by where no dialect says otherwise: disruption_budgets(), cost_of(), and an order of the same
/// things. The cluster outlives it.
VictimRules recommended_rules(const cluster::Cluster& cluster);

}  // namespace loadline::gang
