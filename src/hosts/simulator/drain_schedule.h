#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "brain/gang/maintenance.h"
#include "foundation/base/time.h"
#include "hosts/simulator/change.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/pod_runs.h"

namespace loadline::simulator {

/// A gang that cannot go on once its members have left the drained nodes: all of it leaves together, or ends before.
struct LeavingGang {
  std::size_t group = 0;           ///< index into the earlier plan's groups
  std::vector<std::string> nodes;  ///< drained ones on which it has members
  std::vector<PodName> pods;       ///< its members on nodes, those on other nodes among them
  gang::LeaveTime leaves;
  std::int64_t gpu_seconds = 0;  ///< work that is lost: run time × GPUs since the last checkpoint
};

/// When what is on nodes leaves them, if they are to be free by a deadline.
struct DrainSchedule {
  Instant deadline;
  std::vector<LeavingGang> gangs;  ///< in the order of leaving
  /// Pods by themselves, members that their groups go on without, and those of groups that end anyway, as other members
  /// die with their nodes.
  std::vector<PodName> at_once;
};

/// Of what the change's drains evict: a gang that would have fewer members than start together leaves as
/// gang::leave_time says, the drain being announced now; all others leave at once. A member without a controller, which
/// nothing would bring back, stays unless `evicts_unmanaged`; one that the change itself takes away cannot be evicted.
/// O(pods × log pods).
DrainSchedule drain_schedule(const Plan& before, const Change& change, const ChangedCluster& changed,
                             const PodRuns& runs, Instant now);

/// The schedule as what a plan evicts and when.
void schedule_evictions(const DrainSchedule& schedule, PlanOptions& options);

}  // namespace loadline::simulator
