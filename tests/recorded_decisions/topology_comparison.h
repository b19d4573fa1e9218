#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "brain/placement/scheduler.h"
#include "recorded_decisions/divergence.h"
#include "recorded_decisions/group_verdict.h"
#include "recorded_decisions/recorded_case.h"
#include "recorded_decisions/replayed_cluster.h"

namespace loadline::recorded_decisions {

/// The nodes of a placement, in the order in which we look at them.
std::vector<cluster::NodeId> nodes_of(const RecordedPlacement& placement, const ReplayedCluster& state);

/// Which of the verdicts in the cycle's placements is that on the group, with what the group is told then. Of several
/// feasible placements it is the one that the recording has taken. REQUIRES: there are verdicts, in the order of the
/// placements. Source: podGroupSchedulingPlacementAlgorithm, v1.36.
struct ChosenPlacement {
  std::size_t index = 0;
  GroupVerdict verdict;
};
ChosenPlacement choose(const RecordedGroupCycle& cycle, const std::vector<GroupVerdict>& verdicts);

/// Compares our formula for the score of each placement, on what the real scheduler put there, and that it takes one of
/// the highest. REQUIRES: the cluster stands where the cycle began; `attempts` are those of the cycle.
void compare_placement_scores(const std::string& case_name, const RecordedGroupCycle& cycle,
                              std::span<const RecordedAttempt> attempts, ReplayedCluster& state,
                              const placement::Scheduler& scheduler, std::vector<Divergence>& divergences);

}  // namespace loadline::recorded_decisions
