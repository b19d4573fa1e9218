#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hosts/simulator/plan.h"

namespace loadline::simulator {

class QueuedJobs;

/// Jobs as they stand in Kueue's queues at the end of a plan: those that use quota, wait for it, or never will.
[[nodiscard]] std::vector<PlannedQueuedWorkload> planned_workloads(const QueuedJobs& queued);

/// ClusterQueues and Cohorts, trees one after the other, each node before those below it, by name.
[[nodiscard]] std::vector<PlannedQueue> planned_queues(const QueuedJobs& queued);

}  // namespace loadline::simulator
