#include "hosts/simulator/drain_schedule.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "hosts/simulator/changed_groups.h"

namespace loadline::simulator {
namespace {

using Members = std::vector<ChangedMember>;

std::size_t count(const Members& members, MemberChange change) {
  return static_cast<std::size_t>(std::ranges::count(members, change, &ChangedMember::change));
}

/// Whether the group can go on until the drain takes members from it, and no longer.
bool is_ended_by_drain(const PlannedGroup& group, const Members& members) {
  const std::size_t evicted = count(members, MemberChange::kIsEvicted);
  const std::size_t dead = count(members, MemberChange::kDies);
  if (evicted == 0) return false;
  if (dead > 0 && group.loses_run(members.size() - dead, members.size())) return false;
  return group.loses_run(count(members, MemberChange::kStays), members.size());
}

/// Nothing is lost of what is saved when the gang leaves.
std::int64_t lost_work(const std::vector<PodRun>& runs, const gang::LeaveTime& leaves, Instant now) {
  using enum gang::LeaveReason;
  if (leaves.why == kNotStarted || leaves.why == kEndsByItself) return 0;
  if (leaves.why == kAfterCheckpoint && leaves.at > now) return 0;
  return lost_gpu_seconds(runs, leaves.at);
}

gang::DrainedGang as_one(const std::vector<PodRun>& runs) {
  std::vector<gang::MemberRun> known;
  for (const PodRun& run : runs) known.push_back(run.known);
  return gang::as_one(known);
}

/// REQUIRES: none of the members dies.
LeavingGang leaving_gang(std::size_t group, const Members& members, const gang::DrainWindow& window,
                         bool evicts_unmanaged) {
  LeavingGang result;
  result.group = group;
  std::set<std::string> nodes;
  std::vector<PodRun> runs;
  for (const ChangedMember& member : members) {
    const bool is_evicted = member.change == MemberChange::kIsEvicted;
    if (is_evicted) nodes.insert(member.node);
    if (is_evicted || member.run.is_managed || evicts_unmanaged) result.pods.push_back(member.name);
    runs.push_back(member.run);
  }
  result.nodes.assign(nodes.begin(), nodes.end());
  result.leaves = gang::leave_time(as_one(runs), window, window.announced);
  result.gpu_seconds = lost_work(runs, result.leaves, window.announced);
  return result;
}

}  // namespace

DrainSchedule drain_schedule(const Plan& before, const Change& change, const ChangedCluster& changed,
                             const PodRuns& runs, Instant now) {
  DrainSchedule schedule;
  schedule.deadline = change.drain_by.value_or(now);
  const gang::DrainWindow window{now, schedule.deadline};
  std::set<PodName> not_at_once;
  for (auto& [group, members] : changed_groups(before, changed.evictions, changed.departures, runs)) {
    if (!is_ended_by_drain(before.groups[group], members)) continue;
    std::erase_if(members, [](const ChangedMember& member) { return member.change == MemberChange::kDies; });
    schedule.gangs.push_back(leaving_gang(group, members, window, change.evicts_unmanaged));
    for (const ChangedMember& member : members) not_at_once.insert(member.name);
  }
  std::ranges::stable_sort(schedule.gangs, {}, [](const LeavingGang& gang) { return gang.leaves.at; });
  for (const Departure& departure : changed.departures) not_at_once.insert(departure.pod);
  for (const PodName& pod : changed.evictions) {
    if (!not_at_once.contains(pod)) schedule.at_once.push_back(pod);
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
