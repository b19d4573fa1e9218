#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
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

/// Why KAI's scheduler for a pool of nodes could not start the group; there is none once no pod of it waits.
struct KaiSchedulingCondition {
  std::string type;  ///< UnschedulableOnNodePool
  std::string node_pool;
  std::string reason;
  std::string message;
  std::string status;         ///< True
  std::string transition_id;  ///< a number, one more than that of the condition before
  std::optional<Instant> last_transition_time;
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
  std::optional<std::int32_t> scheduling_backoff;  ///< 1: one pool of nodes after another is tried
  std::vector<KaiSchedulingCondition> scheduling_conditions;
};

}  // namespace loadline::kube
