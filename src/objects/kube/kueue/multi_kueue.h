#pragma once

#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Kueue's MultiKueueConfig, v1beta1 and v1beta2: clusters that workloads are sent to. Nothing here sends any: it is
/// read so that a queue that needs it can be told apart.
struct MultiKueueConfig {
  ObjectMeta metadata;
  std::vector<std::string> clusters;  ///< in the order in which they are tried
  bool manages_quota = false;         ///< quotaManagement: Automated, an alpha feature
};

/// Kueue's MultiKueueCluster, v1beta1 and v1beta2. Where it is, nothing reads.
struct MultiKueueCluster {
  ObjectMeta metadata;
  std::vector<MetaCondition> conditions;  ///< Active: it could be reached
};

}  // namespace loadline::kube
