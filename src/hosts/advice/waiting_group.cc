#include "hosts/advice/waiting_group.h"

#include <algorithm>

#include "brain/cluster/ledgers/transaction.h"
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

GroupExamination examine_group(simulator::Planning& planning, std::size_t subject) {
  cluster::Cluster& cluster = planning.cluster();
  const PodId asked = planning.pods()[subject].id;
  const cluster::GroupId group = cluster.pod(asked).group;
  const std::vector<PodId> members = waiting_members(planning, group);
  const cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
  const gang::GroupAttempt attempt = planning.dispatcher().attempt_in_order(group, members);
  GroupExamination result;
  PodId stopped;
  if (attempt.stopped_by) stopped = attempt.members[*attempt.stopped_by].pod;
  for (const gang::MemberAttempt& member : attempt.members) {
    if (member.pod != asked) continue;
    result.fits = member.node.valid();
    if (!result.fits && !member.nominated.valid()) stopped = asked;
  }
  if (!stopped.valid()) return result;
  // Of room for a pod that is created later the pod tells that was asked about: no scheduler knows the other one yet.
  result.stopped_by = gang::is_placeholder(cluster, stopped) ? subject : planning.pods().index_of(stopped);
  result.examination = planning.scheduler().examine(stopped);
  return result;
}

}  // namespace loadline::advice
