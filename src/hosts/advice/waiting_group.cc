#include "hosts/advice/waiting_group.h"

#include "brain/cluster/spellings/membership.h"
#include "brain/engine/dispatcher.h"
#include "brain/gang/held_room.h"

namespace loadline::advice {

using cluster::PodId;
using simulator::SimulatedPod;

std::optional<simulator::PlannedGroup> group_of(const simulator::Planning& planning, std::size_t subject) {
  const kube::Pod& pod = planning.pods()[subject].pod;
  const std::optional<cluster::GroupName> name = cluster::spellings::group_of(pod);
  if (!name) return std::nullopt;
  for (simulator::PlannedGroup& group : planning.groups()) {
    const bool is_own =
        group.name_space == pod.metadata.namespace_ && group.name == name->name && group.spelling == name->spelling;
    if (is_own) return std::move(group);
  }
  return std::nullopt;  // of a pod that left, and no other names its group
}

std::vector<PodId> waiting_members(const simulator::Planning& planning, cluster::GroupId group) {
  std::vector<PodId> members;
  for (const PodId pod : planning.cluster().group(group).members) {
    const bool has_node = planning.cluster().pod(pod).node.valid();
    if (gang::is_placeholder(planning.cluster(), pod)) {
      if (!has_node) members.push_back(pod);
      continue;
    }
    const SimulatedPod& member = planning.pods()[planning.pods().index_of(pod)];
    if (member.outcome == simulator::PodOutcome::kPending && !has_node) members.push_back(pod);
  }
  return members;
}

decision::Examined examine_group(simulator::Planning& planning, std::size_t subject) {
  const PodId asked = planning.pods()[subject].id;
  return planning.dispatcher().examine(asked, waiting_members(planning, planning.cluster().pod(asked).group));
}

}  // namespace loadline::advice
