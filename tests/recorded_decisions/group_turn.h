#pragma once

#include <span>
#include <string>
#include <vector>

#include "brain/placement/scheduler.h"
#include "recorded_decisions/divergence.h"
#include "recorded_decisions/recorded_case.h"
#include "recorded_decisions/replayed_cluster.h"

namespace loadline::recorded_decisions {

struct RecordedTurn {
  const RecordedGroupCycle& cycle;
  std::span<const RecordedAttempt> attempts;  ///< of its members
};

/// What we say of where members are that contradicts the group's constraint; empty: nothing does. Of a group that no
/// object describes any more it is what the API says.
std::string contradiction(const RecordedGroupCycle& cycle, ReplayedCluster& state, placement::Scheduler& scheduler);

/// Lets the group have a turn of ours from end to end, compares what comes out, and undoes it. True: it was comparable.
/// It is not where chance made the real scheduler try members in another order, or take another of several equal nodes;
/// nor where ours does otherwise: where a member preempts or is nominated, where a member is on a node that is gone,
/// and where no object describes the group any more. With a topology constraint, it has one in each domain, and those
/// of one name are compared, and their scores. REQUIRES: the cluster stands where the cycle began.
bool compare_group_turn(const std::string& case_name, const RecordedTurn& recorded, ReplayedCluster& state,
                        placement::Scheduler& scheduler, std::vector<Divergence>& divergences);

}  // namespace loadline::recorded_decisions
