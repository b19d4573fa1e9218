#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// How close pods are to be, by the levels of a Topology.
struct KaiTopologyConstraint {
  std::string topology;
  std::string required;   ///< requiredTopologyLevel: in one domain of it, or none starts
  std::string preferred;  ///< preferredTopologyLevel: in one domain of it if they can be
};

/// A part of a group, with a minimum of its own: pods with its name in the label kai.scheduler/subgroup-name.
struct KaiSubGroup {
  std::string name;
  std::optional<std::int32_t> min_member;
  std::optional<std::int32_t> min_subgroups;
  std::string parent;  ///< empty: the group itself
  std::optional<KaiTopologyConstraint> topology;
};

/// Pods that start together, as KAI has them: those with its name in the annotation pod-group-name
/// (scheduling.run.ai/v2alpha2).
struct KaiPodGroup {
  ObjectMeta metadata;
  std::optional<std::int32_t> min_member;
  std::optional<std::int32_t> min_subgroups;
  std::vector<KaiSubGroup> subgroups;
  std::string queue;
  std::string priority_class_name;
  std::optional<KaiTopologyConstraint> topology;
};

}  // namespace loadline::kube
