#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Pods that are scheduled as one: those that name it in spec.schedulingGroup. KEP-4671, scheduling.k8s.io/v1alpha2.
struct PodGroup {
  /// spec.podGroupTemplateRef.workload: what it was made of. All empty: nobody says.
  struct TemplateReference {
    std::string workload;
    std::string template_;
  };

  ObjectMeta metadata;
  TemplateReference made_of;
  /// spec.schedulingPolicy.gang.minCount: so many pods start together or none does; nullopt: a basic group, whose pods
  /// are tried together, and start one by one.
  std::optional<std::int32_t> min_count;
  bool is_basic = false;      ///< spec.schedulingPolicy.basic is there
  bool has_topology = false;  ///< spec.schedulingConstraints is there, which nothing heeds yet
  std::vector<MetaCondition> conditions;
};

}  // namespace loadline::kube
