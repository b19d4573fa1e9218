#pragma once

#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/replica_status.h"

namespace loadline::controllers {

/// The condition of a controller whose pods cannot be created or removed.
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

/// The time as objects can say it: in whole seconds.
Instant whole_seconds(Instant at);

/// Puts the condition at the end, in place of the one of its type. One of the same status and reason stays as it is;
/// one of the same status passes on its time of transition. Source: SetDeploymentCondition, v1.36.
void set_condition(std::vector<kube::WorkloadCondition>& conditions, kube::WorkloadCondition condition);

void remove_condition(std::vector<kube::WorkloadCondition>& conditions, std::string_view type);

}  // namespace loadline::controllers
