#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/scheduler/group_tasks.h"
#include "hosts/watching/action.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::scheduler {

/// What a PodGroup of Volcano is told by.
struct VolcanoGroupFacts {
  std::string uid;  // of the group's object
  TaskCounts tasks;
  std::int64_t fits = 0;  ///< of its pods that wait, as many found a place in the last turn, in which it did not start
  std::string origin;     ///< " NAME: why": the pod that found none; ": why": the group as a whole; empty: unknown
  friend bool operator==(const VolcanoGroupFacts&, const VolcanoGroupFacts&) = default;
};

/// The status of the group, as Volcano's scheduler has it at the end of a session.
///
/// It is ready while as many of its pods as minMember are on nodes or have succeeded. Then its condition is Scheduled,
/// otherwise Unschedulable, which says how many lack a place; a group without pods gets none. What is of the other type
/// stays as it was. A condition is renewed, with its transitionID and its time, whenever the status is written.
///
/// The phase is Unknown where some run and the group is not ready; Running once minMember are on nodes, also those that
/// have ended; Completed once all of these have ended; otherwise Inqueue, for no queue keeps it out: the Pending that
/// Volcano would write in a session before, no client sees. minMember 0 counts as 1, for an empty group, which is
/// Completed in Volcano, would look as if it had started. That pods without requests count as ready while they wait,
/// which Volcano places apart, is left out.
///
/// Source: jobStatus and getPodGroupPhase, pkg/scheduler/framework/session.go; OnSessionClose,
/// pkg/scheduler/plugins/gang/gang.go; FitError, pkg/scheduler/api/job_info.go, Volcano v1.15.
[[nodiscard]] kube::VolcanoGroupStatus status_of(const kube::VolcanoPodGroup& group, const VolcanoGroupFacts& facts,
                                                 Instant now);

/// Makes the group's status say so. Nothing if it does, but for transitionIDs and times. The kind has no
/// subresource. It is refused if another writer was faster. Source: isPodGroupStatusUpdated,
/// pkg/scheduler/framework/job_updater.go; UpdatePodGroup, pkg/scheduler/cache/cache.go, Volcano v1.15.
[[nodiscard]] std::vector<watching::Action> say_group_status(const watching::Observed<kube::VolcanoPodGroup>& group,
                                                             const VolcanoGroupFacts& facts, Instant now);

}  // namespace loadline::scheduler
