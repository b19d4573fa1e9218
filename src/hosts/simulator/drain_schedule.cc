#include "hosts/simulator/drain_schedule.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace loadline::simulator {
namespace {

/// A member of a group that is on a node.
struct Member {
  PodName name;
  std::string node;
  PodRun run;
  bool leaves = false;  ///< the drain evicts it
};

using Groups = std::map<std::size_t, std::vector<Member>>;

/// The members on nodes of the groups that the drain takes some from, by the group's index. A member that ends before
/// the deadline was on its node, too.
Groups groups_with_evictions(const Plan& before, const std::vector<PodName>& evictions, const PodRuns& runs) {
  std::map<std::pair<std::string, cluster::GroupName>, std::size_t> index;
  for (std::size_t i = 0; i < before.groups.size(); ++i) {
    const PlannedGroup& group = before.groups[i];
    index[{group.name_space, {group.spelling, group.name}}] = i;
  }
  const std::set<PodName> leave(evictions.begin(), evictions.end());
  Groups groups;
  for (const PlannedPod& pod : before.pods) {
    const auto group = index.find({pod.name_space, {pod.pod_group_spelling, pod.pod_group}});
    const auto run = runs.find({pod.name_space, pod.name});
    if (pod.pod_group.empty() || group == index.end() || run == runs.end()) continue;
    groups[group->second].push_back({run->first, pod.node, run->second, leave.contains(run->first)});
  }
  std::erase_if(groups, [](const auto& group) {
    return std::ranges::none_of(group.second, [](const Member& member) { return member.leaves; });
  });
  return groups;
}

/// Whether the group has too few members once those have left that the drain evicts.
bool loses_run(const PlannedGroup& group, const std::vector<Member>& members) {
  const auto staying = std::ranges::count_if(members, [](const Member& member) { return !member.leaves; });
  return group.loses_run(static_cast<std::size_t>(staying), members.size());
}

gang::DrainedGang as_one(const std::vector<Member>& members) {
  std::vector<gang::MemberRun> runs;
  for (const Member& member : members) runs.push_back(member.run.known);
  return gang::as_one(runs);
}

/// Nothing is lost of what is saved when the gang leaves.
std::int64_t lost_work(const std::vector<Member>& members, const gang::DrainedGang& gang, const gang::LeaveTime& leaves,
                       Instant now) {
  using enum gang::LeaveReason;
  if (leaves.why == kNotStarted || leaves.why == kEndsByItself) return 0;
  if (leaves.why == kAfterCheckpoint && leaves.at > now) return 0;
  const bool has_saved = gang.last_checkpoint && *gang.last_checkpoint <= leaves.at;
  std::int64_t seconds = 0;
  for (const Member& member : members) {
    Instant since = member.run.known.started.value_or(leaves.at);
    if (has_saved) since = std::max(since, *gang.last_checkpoint);
    const Duration lost = std::max(leaves.at - since, Duration{});
    seconds += lost.nanoseconds / Duration::seconds(1).nanoseconds * member.run.gpus;
  }
  return seconds;
}

LeavingGang leaving_gang(std::size_t group, const std::vector<Member>& members, const gang::DrainWindow& window,
                         bool evicts_unmanaged) {
  LeavingGang result;
  result.group = group;
  std::set<std::string> nodes;
  for (const Member& member : members) {
    if (member.leaves) nodes.insert(member.node);
    if (member.leaves || member.run.is_managed || evicts_unmanaged) result.pods.push_back(member.name);
  }
  result.nodes.assign(nodes.begin(), nodes.end());
  const gang::DrainedGang gang = as_one(members);
  result.leaves = gang::leave_time(gang, window, window.announced);
  result.gpu_seconds = lost_work(members, gang, result.leaves, window.announced);
  return result;
}

}  // namespace

DrainSchedule drain_schedule(const Plan& before, const Change& change, const ChangedCluster& changed,
                             const PodRuns& runs, Instant now) {
  DrainSchedule schedule;
  schedule.deadline = change.drain_by.value_or(now);
  const gang::DrainWindow window{now, schedule.deadline};
  std::set<PodName> in_gangs;
  for (const auto& [group, members] : groups_with_evictions(before, changed.evictions, runs)) {
    if (!loses_run(before.groups[group], members)) continue;
    schedule.gangs.push_back(leaving_gang(group, members, window, change.evicts_unmanaged));
    for (const Member& member : members) in_gangs.insert(member.name);
  }
  std::ranges::stable_sort(schedule.gangs, {}, [](const LeavingGang& gang) { return gang.leaves.at; });
  for (const PodName& pod : changed.evictions) {
    if (!in_gangs.contains(pod)) schedule.at_once.push_back(pod);
  }
  return schedule;
}

void schedule_evictions(const DrainSchedule& schedule, PlanOptions& options) {
  options.evictions = schedule.at_once;
  for (const LeavingGang& gang : schedule.gangs) {
    if (gang.leaves.why == gang::LeaveReason::kEndsByItself) continue;
    options.later_evictions.push_back({gang.leaves.at, gang.pods});
  }
}

}  // namespace loadline::simulator
