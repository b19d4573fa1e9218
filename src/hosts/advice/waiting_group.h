#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/doors.h"
#include "hosts/simulator/planning.h"

namespace loadline::advice {

/// The group that the pod names, whatever became of it; nothing if it names none.
std::optional<simulator::PlannedGroup> group_of(const simulator::Planning& planning, std::size_t subject);

/// Whether a pod of the group waits because the group has not started.
inline bool holds_its_pods(const simulator::PlannedGroup& group) {
  return group.outcome != simulator::GroupOutcome::kStarted;
}

/// The members that wait for a node, in order of creation, placeholders for pods that are created later among them.
std::vector<cluster::PodId> waiting_members(const simulator::Planning& planning, cluster::GroupId group);

/// Tries the group of a pod that waits as its turn does, and looks at what stops it. The cluster is as before when it
/// returns. Cost: one turn of the group, and an examination.
decision::Examined examine_group(simulator::Planning& planning, std::size_t subject);

}  // namespace loadline::advice
