#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"

namespace loadline::kube {

/// A condition of a workload; only a Deployment's has a time of the last update.
struct WorkloadCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<Instant> last_update_time = {};
  std::optional<Instant> last_transition_time = {};

  friend bool operator==(const WorkloadCondition&, const WorkloadCondition&) = default;
};

/// What a ReplicaSet or a ReplicationController has of its pods.
struct ReplicaSetStatus {
  std::int64_t observed_generation = 0;
  std::int32_t replicas = 0;
  std::int32_t fully_labeled_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::optional<std::int32_t> terminating_replicas;  ///< a ReplicationController does not count them
  std::vector<WorkloadCondition> conditions;

  friend bool operator==(const ReplicaSetStatus&, const ReplicaSetStatus&) = default;
};

}  // namespace loadline::kube
