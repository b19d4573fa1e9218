#include "hosts/simulator/disturbed_gangs.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "hosts/simulator/changed_groups.h"

namespace loadline::simulator {
namespace {

/// A disturbed group with the runs of its members.
struct Subject {
  DisturbedGang gang;
  std::vector<PodRun> runs;  // of those that leave first

  [[nodiscard]] std::int64_t lost_at(Instant at) const {
    if (gang.loses_run) return lost_gpu_seconds(runs, at);
    std::int64_t lost = 0;
    for (std::size_t i = 0; i < gang.leaving; ++i) lost += lost_gpu_seconds({&runs[i], 1}, at);
    return lost;
  }
};

/// Its members end together, so long after the last of them has started.
std::optional<Instant> end_of(const std::vector<PodRun>& runs) {
  std::optional<Instant> end;
  for (const PodRun& run : runs) {
    if (!run.known.started || !run.known.expected) return std::nullopt;
    const Instant at = *run.known.started + *run.known.expected;
    end = end ? std::max(*end, at) : at;
  }
  return end;
}

Subject subject_of(std::size_t index, const PlannedGroup& group, std::vector<ChangedMember> members, Instant now) {
  const auto staying =
      std::ranges::stable_partition(members, [](auto& member) { return member.change != MemberChange::kStays; });
  Subject subject;
  for (const ChangedMember& member : members) subject.runs.push_back(member.run);
  DisturbedGang& gang = subject.gang;
  gang.group = index;
  gang.leaving = members.size() - staying.size();
  gang.members = members.size();
  gang.loses_run = group.loses_run(staying.size(), gang.members);
  gang.gpu_seconds = subject.lost_at(now);
  gang.ends = end_of(subject.runs);
  return subject;
}

}  // namespace

Disturbance disturbance(const Plan& before, const std::vector<PodName>& evictions,
                        const std::vector<Departure>& departures, const PodRuns& runs, Instant now) {
  std::vector<Subject> subjects;
  Disturbance result;
  for (const auto& [group, members] : changed_groups(before, evictions, departures, runs)) {
    subjects.push_back(subject_of(group, before.groups[group], members, now));
    result.gpu_seconds += subjects.back().gang.gpu_seconds;
  }
  for (const Subject& ended : subjects) {
    if (!ended.gang.ends || *ended.gang.ends <= now) continue;
    Disturbance::Moment moment{*ended.gang.ends, 0, 0};
    for (const Subject& subject : subjects) {
      if (subject.gang.ends && *subject.gang.ends <= moment.at) continue;
      moment.gpu_seconds += subject.lost_at(moment.at);
      ++moment.gangs;
    }
    const auto is_cheaper_than = [&](std::int64_t gpu_seconds, Instant at) {
      return std::pair(moment.gpu_seconds, moment.at) < std::pair(gpu_seconds, at);
    };
    const bool is_best = result.later ? is_cheaper_than(result.later->gpu_seconds, result.later->at)
                                      : is_cheaper_than(result.gpu_seconds, now);
    if (is_best) result.later = moment;
  }
  for (const Subject& subject : subjects) result.gangs.push_back(subject.gang);
  std::ranges::stable_sort(result.gangs, std::greater<>(), &DisturbedGang::gpu_seconds);
  return result;
}

}  // namespace loadline::simulator
