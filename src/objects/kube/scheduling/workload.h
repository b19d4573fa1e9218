#pragma once

#include <string>
#include <vector>

#include "objects/kube/meta.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::kube {

/// What PodGroups are made of. KEP-4671, scheduling.k8s.io/v1alpha2.
struct PodGroupTemplate {
  std::string name;
  PodGroupPolicy policy;
};

/// How the pods of one object are to be scheduled: which groups of them there are. Kubernetes', not Kueue's of the same
/// name. KEP-4671, scheduling.k8s.io/v1alpha2.
struct Workload {
  /// spec.controllerRef: the object that makes the pods. All empty: the object does not say.
  struct Controller {
    std::string api_group;
    std::string kind;
    std::string name;
  };

  ObjectMeta metadata;
  Controller controller;
  std::vector<PodGroupTemplate> templates;
};

}  // namespace loadline::kube
