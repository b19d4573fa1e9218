#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"
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

/// What keeps a group that had a turn from starting.
struct GroupExamination {
  bool fits = false;  ///< the pod that was asked about finds a place
  /// The member that finds none: that pod if it is one of those, else the first. An index into the plan's pods; that
  /// pod's, if what finds none is room for one that is created later. Nothing if all that wait find one.
  std::optional<std::size_t> stopped_by;
  placement::Examination examination;  ///< of that one, those members having their places that fit
};

/// Tries the group of a pod that waits as its turn does, and looks at what stops it. The cluster is as before when it
/// returns. Cost: one turn of the group, and an examination.
GroupExamination examine_group(simulator::Planning& planning, std::size_t subject);

}  // namespace loadline::advice
