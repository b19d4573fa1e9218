#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/kube/kueue/stop_policy.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// Kueue's LocalQueue, v1beta1 and v1beta2: where the workloads of a namespace line up for a ClusterQueue.
struct LocalQueue {
  ObjectMeta metadata;
  std::string cluster_queue;  ///< it need not exist yet
  StopPolicy stop_policy = StopPolicy::kNone;
  std::optional<Quantity> fair_sharing_weight;  ///< among the LocalQueues of one ClusterQueue; absent: 1
  std::vector<MetaCondition> conditions;        ///< Active, as the object was read
};

}  // namespace loadline::kube
