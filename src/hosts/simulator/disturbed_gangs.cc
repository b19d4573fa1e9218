#include "hosts/simulator/disturbed_gangs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "objects/kube/gpu_resource.h"
#include "objects/kube/pod_resources.h"

namespace loadline::simulator {
namespace {

constexpr std::int64_t kNanosecondsOfSecond = 1'000'000'000;

std::int64_t gpus_of(const kube::Pod& pod) {
  std::int64_t gpus = 0;
  for (const auto& [resource, amount] : kube::pod_requests(*pod.spec, nullptr, {})) {
    if (kube::is_gpu_resource(resource)) gpus += amount.value();
  }
  return gpus;
}

std::set<PodName> pods_that_leave(const ChangedCluster& change) {
  std::set<PodName> leave(change.evictions.begin(), change.evictions.end());
  for (const Departure& departure : change.departures) {
    if (!departure.intended) leave.insert(departure.pod);
  }
  return leave;
}

/// A disturbed group with the runs that it may lose.
struct Subject {
  DisturbedGang gang;
  std::vector<PodRun> leaving, staying;

  [[nodiscard]] std::int64_t lost_at(Instant at) const {
    std::int64_t seconds = 0;
    const auto count = [&](const PodRun& run) {
      const auto& started = run.known.started;
      const auto& saved = run.known.last_checkpoint;
      if (!started) return;
      const Instant since = saved ? std::max(*started, *saved) : *started;
      seconds += std::max<std::int64_t>((at - since).nanoseconds / kNanosecondsOfSecond, 0) * run.gpus;
    };
    for (const PodRun& run : leaving) count(run);
    for (const PodRun& run : staying) {
      if (gang.loses_run) count(run);
    }
    return seconds;
  }
};

/// Its members end together, so long after the last of them has started.
std::optional<Instant> end_of(const Subject& subject) {
  std::optional<Instant> end;
  for (const std::vector<PodRun>* runs : {&subject.leaving, &subject.staying}) {
    for (const PodRun& run : *runs) {
      if (!run.known.started || !run.known.expected) return std::nullopt;
      const Instant at = *run.known.started + *run.known.expected;
      end = end ? std::max(*end, at) : at;
    }
  }
  return end;
}

std::vector<Subject> subjects_of(const Plan& before, const ChangedCluster& change, const PodRuns& runs) {
  std::vector<Subject> all(before.groups.size());
  using Key = std::pair<std::string, cluster::GroupName>;
  std::map<Key, std::size_t> index;
  for (std::size_t i = 0; i < before.groups.size(); ++i) {
    const PlannedGroup& group = before.groups[i];
    index[{group.name_space, {group.spelling, group.name}}] = i;
    all[i].gang.group = i;
  }
  const std::set<PodName> leave = pods_that_leave(change);
  for (const PlannedPod& pod : before.pods) {
    const bool is_on_a_node = pod.outcome == PodOutcome::kRunning || pod.outcome == PodOutcome::kPlaced;
    const auto group = index.find(Key{pod.name_space, {pod.pod_group_spelling, pod.pod_group}});
    if (!is_on_a_node || pod.pod_group.empty() || group == index.end()) continue;
    Subject& subject = all[group->second];
    const PodName name{pod.name_space, pod.name};
    const auto run = runs.find(name);
    (leave.contains(name) ? subject.leaving : subject.staying).push_back(run == runs.end() ? PodRun() : run->second);
  }
  std::erase_if(all, [](const Subject& subject) { return subject.leaving.empty(); });
  return all;
}

}  // namespace

PodRuns runs_of(const kube::Objects& cluster) {
  PodRuns runs;
  for (const kube::Pod& pod : cluster.of<kube::Pod>()) {
    if (pod.spec->node_name.empty() || pod.finished()) continue;
    runs[{pod.metadata.namespace_, pod.metadata.name}] = {gang::run_of(pod), gpus_of(pod),
                                                          pod.metadata.controller() != nullptr};
  }
  return runs;
}

Disturbance disturbance(const Plan& before, const ChangedCluster& change, const PodRuns& runs, Instant now) {
  std::vector<Subject> subjects = subjects_of(before, change, runs);
  Disturbance result;
  for (Subject& subject : subjects) {
    DisturbedGang& gang = subject.gang;
    gang.leaving = subject.leaving.size();
    gang.members = gang.leaving + subject.staying.size();
    gang.loses_run = before.groups[gang.group].loses_run(subject.staying.size(), gang.members);
    gang.gpu_seconds = subject.lost_at(now);
    gang.ends = end_of(subject);
    result.gpu_seconds += gang.gpu_seconds;
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
  for (Subject& subject : subjects) result.gangs.push_back(subject.gang);
  std::ranges::stable_sort(result.gangs, std::greater<>(), &DisturbedGang::gpu_seconds);
  return result;
}

}  // namespace loadline::simulator
