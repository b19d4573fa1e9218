#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Which pods that are not ready may be evicted whatever the budget allows: all, or those of a budget whose other pods
/// are as many as it wants.
enum class UnhealthyPodEvictionPolicy : std::uint8_t { kAlwaysAllow, kIfHealthyBudget };

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;  ///< nullopt: matches no pod; empty: every pod of the namespace
  std::optional<IntOrString> min_available;
  std::optional<IntOrString> max_unavailable;
  std::optional<UnhealthyPodEvictionPolicy> unhealthy_pod_eviction_policy;  ///< nullopt: kIfHealthyBudget

  /// status.disruptionsAllowed; nullopt where no controller has filled it in yet (a manifest).
  std::optional<std::int32_t> disruptions_allowed;
  /// Pods whose eviction was allowed and whose deletion no controller has observed yet, and since when.
  std::map<std::string, Instant> disrupted_pods;
  std::int32_t current_healthy = 0;
  std::int32_t desired_healthy = 0;
  std::int32_t expected_pods = 0;
  std::int64_t observed_generation = 0;
  std::vector<MetaCondition> conditions;
};

}  // namespace loadline::kube
