#include "hosts/simulator/comparison.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "hosts/simulator/planning.h"
#include "hosts/simulator/pod_runs.h"
#include "hosts/simulator/settled.h"

namespace loadline::simulator {
namespace {

/// A cluster that has settled, what is to be changed of it, and how both are planned.
struct Settled {
  kube::Objects cluster;
  const kube::SchedulerConfiguration& configuration;
  PlanOptions options;
};

/// Those that NoExecute taints evicted, at once or when their tolerations ended.
std::vector<PodName> evicted_by_taints(const Plan& plan) {
  std::vector<PodName> pods;
  for (const PlannedPod& pod : plan.pods) {
    if (pod.outcome == PodOutcome::kEvicted && pod.is_evicted_by_taint) pods.push_back({pod.name_space, pod.name});
  }
  return pods;
}

Settling settling_of(const SimulatedPods& pods) {
  Settling settling;
  for (const SimulatedPod& pod : pods.list()) {
    settling.placed += static_cast<std::size_t>(pod.outcome == PodOutcome::kPlaced);
    settling.left +=
        static_cast<std::size_t>(pod.outcome == PodOutcome::kPreempted || pod.outcome == PodOutcome::kEvicted);
  }
  return settling;
}

Result<Comparison> compare_settled(Settled settled, const Change& change, std::string_view name_space) {
  PlanOptions& next = settled.options;
  Result<Plan> before = make_plan(settled.cluster, settled.configuration, next);
  if (!before) return tl::unexpected(before.error());
  const PodRuns runs = runs_of(settled.cluster);
  Result<ChangedCluster> changed =
      apply(change, std::move(settled.cluster), next.replacements, next.seed, next.most_pods);
  if (!changed) return tl::unexpected(changed.error());
  next.evictions = changed->evictions;
  for (const DrainedNode& drained : changed->drains) next.drained.insert(drained.node);
  std::optional<DrainSchedule> schedule;
  if (change.drain_by) {
    schedule = drain_schedule(*before, change, *changed, runs, next.now);
    schedule_evictions(*schedule, next);
  }
  next.replacements = changed->replacements;
  Result<Plan> after = make_plan(changed->objects, settled.configuration, next);
  if (!after) return tl::unexpected(after.error());
  Comparison result{*std::move(before), *std::move(changed), *std::move(after), {}, {}, next.now, std::move(schedule)};
  result.difference = difference(result.before, result.after, result.change, name_space);
  std::vector<PodName> evicted = next.evictions;
  for (PodName& pod : evicted_by_taints(result.after)) evicted.push_back(std::move(pod));
  result.disturbance = disturbance(result.before, evicted, result.change.departures, runs, next.now);
  if (!result.drain_schedule) return result;
  // When the change is made costs something else then: the drain follows its schedule.
  result.disturbance.later.reset();
  result.drain_outcome =
      drain_outcome(*result.drain_schedule, result.change.drains, result.before, result.after, runs, next.now);
  return result;
}

}  // namespace

Result<Comparison> compare(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                           const Change& change, const PlanOptions& options, std::string_view name_space) {
  Settled start{{}, configuration, options};
  Settling settling;
  {
    Result<std::unique_ptr<Planning>> planning = Planning::make(objects, configuration, options);
    if (!planning) return tl::unexpected(planning.error());
    settling = settling_of((*planning)->pods());
    start.cluster = settled(**planning);
    start.options.replacements = (*planning)->replacements();
    start.options.starts = (*planning)->starts();
  }
  start.options.ends_until = change.drain_by;
  Result<Comparison> comparison = compare_settled(std::move(start), change, name_space);
  if (comparison) comparison->settling = settling;
  return comparison;
}

bool got_worse(const Comparison& comparison) {
  return !comparison.drain_outcome.late.empty() ||
         got_worse(comparison.difference, comparison.before, comparison.after, comparison.change);
}

std::size_t undecided(const Comparison& comparison) {
  return static_cast<std::size_t>(std::ranges::count_if(comparison.difference.pods, [&](const PodDifference& entry) {
    return entry.after && !comparison.after.pods[*entry.after].undecided.empty();
  }));
}

}  // namespace loadline::simulator
