#pragma once

#include <functional>

#include "brain/workloads/expected_runs.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::watching {

/// Keeps `runs` as the workloads are in the caches, and calls `changed` for each of which that makes a difference to
/// its pods. All of it outlives the subscriptions.
void follow_expected_runs(Subscriptions& subscriptions, workloads::ExpectedRuns& runs,
                          std::function<void(const workloads::WorkloadReference& workload, Keys& keys)> changed);

}  // namespace loadline::watching
