#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// How often a request that failed is made again: `base * 2^n` seconds after the n-th failure, at most `max`.
struct ProvisioningRetryStrategy {
  std::int32_t backoff_limit_count = 3;
  std::int32_t backoff_base_seconds = 60;
  std::int32_t backoff_max_seconds = 1800;
};

/// A node selector of the admitted pods, whose value the provisioning class tells.
struct ProvisioningNodeSelector {
  std::string key;
  std::string value_from_provisioning_class_detail;
};

enum class PodSetMergePolicy : std::uint8_t { kIdenticalPodTemplates, kIdenticalWorkloadSchedulingRequirements };

/// Kueue's ProvisioningRequestConfig, v1beta1 and v1beta2: how a cluster autoscaler is asked for nodes.
struct ProvisioningRequestConfig {
  ObjectMeta metadata;
  std::string provisioning_class_name;
  std::map<std::string, std::string, std::less<>> parameters;
  std::vector<std::string> managed_resources;  ///< only pod sets that ask for one of them; empty: all pod sets
  ProvisioningRetryStrategy retry_strategy;
  std::vector<ProvisioningNodeSelector> pod_set_node_selector;
  std::optional<PodSetMergePolicy> pod_set_merge_policy;  ///< absent: no two pod sets become one
};

}  // namespace loadline::kube
