#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// How the pods of a group start: exactly one of the two.
struct PodGroupPolicy {
  /// gang.minCount: so many pods start together or none does; nullopt: a basic group, whose pods are tried together,
  /// and start one by one.
  std::optional<std::int32_t> min_count;
  bool is_basic = false;  ///< basic is there
};

/// Pods that are scheduled as one: those that name it in spec.schedulingGroup. KEP-4671, scheduling.k8s.io/v1alpha2.
struct PodGroup {
  /// spec.podGroupTemplateRef.workload: what it was made of. All empty: it was made without one.
  struct TemplateReference {
    std::string workload;
    std::string template_;
  };

  /// All pods of the group are on nodes with one value of the label.
  struct TopologyConstraint {
    std::string key;
  };

  ObjectMeta metadata;
  TemplateReference made_of;
  PodGroupPolicy policy;                     ///< spec.schedulingPolicy
  std::vector<TopologyConstraint> topology;  ///< spec.schedulingConstraints.topology: one at most
  std::string disruption_mode;               ///< "Pod" or "PodGroup": who leaves when one of its pods is preempted
  std::string priority_class_name;
  std::optional<std::int32_t> priority;
  std::vector<MetaCondition> conditions;
};

}  // namespace loadline::kube
