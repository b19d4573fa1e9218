#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// How close pods are to be: in one HyperNode of a tier up to the highest that is allowed.
struct VolcanoNetworkTopology {
  std::string mode;  ///< hard: or they do not start; soft: if it can be. Empty: hard
  std::optional<std::int32_t> highest_tier_allowed;
  std::string highest_tier_name;
};

/// Pods of a group that belong closer together: those that the selector takes, apart by their values of the labels.
struct VolcanoSubGroupPolicy {
  std::string name;
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> match_label_keys;
  std::int32_t subgroup_size = 1;
  std::int32_t min_subgroups = 0;
  std::optional<VolcanoNetworkTopology> topology;
};

/// What Volcano's scheduler found when it last wrote: of each type there is one at most, and none goes when another
/// comes.
struct VolcanoGroupCondition {
  std::string type;           ///< Unschedulable, Scheduled
  std::string status;         ///< True
  std::string transition_id;  ///< of the scheduler's session that wrote it
  std::optional<Instant> last_transition_time;
  std::string reason;
  std::string message;
};

struct VolcanoGroupStatus {
  std::string phase;  ///< Pending, Inqueue, Running, Unknown, Completed; empty: no scheduler has seen the group
  std::vector<VolcanoGroupCondition> conditions;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
};

/// Pods that start together, as Volcano has them: those with its name in the annotation scheduling.k8s.io/group-name
/// (scheduling.volcano.sh/v1beta1).
struct VolcanoPodGroup {
  ObjectMeta metadata;
  std::int32_t min_member = 0;
  std::map<std::string, std::int32_t, std::less<>> min_task_member;  ///< of the roles of pods
  std::string priority_class_name;
  std::string queue;
  std::optional<VolcanoNetworkTopology> topology;
  std::vector<VolcanoSubGroupPolicy> subgroups;
  VolcanoGroupStatus status;
};

}  // namespace loadline::kube
