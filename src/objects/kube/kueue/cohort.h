#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/kube/kueue/resource_group.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// Kueue's Cohort, v1beta1 and v1beta2: ClusterQueues and Cohorts that lend each other what they do not use. One that
/// is only named by its members is one without a parent and without quota of its own.
struct Cohort {
  ObjectMeta metadata;
  std::string parent;                           ///< empty: it is a root
  std::vector<ResourceGroup> resource_groups;   ///< its own quota, which adds to what its members lend
  std::optional<Quantity> fair_sharing_weight;  ///< absent: 1
};

}  // namespace loadline::kube
