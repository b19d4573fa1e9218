#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "objects/kube/policy/pod_disruption_budget.h"

namespace loadline::workloads {

/// A count, or a percentage of `total` rounded up.
std::int64_t scaled_up(const kube::IntOrString& value, std::int64_t total);

/// What the disruption controller counts of a budget.
///
///   minAvailable n     desired healthy = n (a percentage: of the expected pods, rounded up)
///   maxUnavailable n   desired healthy = expected − n (a percentage rounded up)
///   allowed            healthy − desired, at least 0; 0 if no pods are expected, or the budget says neither
/// "Expected" is the number of matching pods for a whole minAvailable, else the sum of the replicas of their
/// controllers; 0 are allowed if that cannot be told. Source: pkg/controller/disruption, v1.36.
struct DisruptionCount {
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  std::int64_t desired = 0;
  bool countable = true;  ///< false: no number can be told, so that nothing is allowed

  [[nodiscard]] std::int32_t allowed() const;
};

/// `expected_scale` is asked only where replicas count; nothing: some pod's controller has none.
DisruptionCount count_disruptions(const kube::PodDisruptionBudget& budget, std::int64_t pods, std::int64_t healthy,
                                  const std::function<std::optional<std::int64_t>()>& expected_scale);

}  // namespace loadline::workloads
