#pragma once

#include <cstdint>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::placement {

/// What disruption budgets still allow while pods are chosen as victims, one after another. This is kube-scheduler's
/// rule for preemption, which goes beyond a budget if it has to. The eviction API's rule is another one, see
/// objects/kube/policy/eviction_rules.h.
class BudgetUse {
 public:
  explicit BudgetUse(const cluster::Cluster& cluster);

  /// Whether any budget guards pods at all.
  [[nodiscard]] bool empty() const { return left_.empty(); }

  /// Draws on every budget that guards the pod. True if one is overdrawn. A budget with an empty selector guards
  /// nothing here, as upstream has it. O(budgets). Source: kube-scheduler v1.36, filterPodsWithPDBViolation.
  bool overdraws(cluster::PodId pod);

 private:
  const cluster::Cluster& cluster_;
  std::vector<std::int32_t> left_;  // by budget
};

}  // namespace loadline::placement
