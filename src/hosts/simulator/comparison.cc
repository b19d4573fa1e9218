#include "hosts/simulator/comparison.h"

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

Result<Comparison> compare_settled(Settled settled, const Change& change, std::string_view name_space) {
  PlanOptions& next = settled.options;
  Result<Plan> before = make_plan(settled.cluster, settled.configuration, next);
  if (!before) return tl::unexpected(before.error());
  const PodRuns runs = runs_of(settled.cluster);
  Result<ChangedCluster> changed = apply(change, std::move(settled.cluster), next.replacements, next.seed);
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
  result.disturbance = disturbance(result.before, next.evictions, result.change.departures, runs, next.now);
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
  {
    Result<std::unique_ptr<Planning>> planning = Planning::make(objects, configuration, options);
    if (!planning) return tl::unexpected(planning.error());
    start.cluster = settled(**planning);
    start.options.replacements = (*planning)->replacements();
    start.options.starts = (*planning)->starts();
  }
  start.options.ends_until = change.drain_by;
  return compare_settled(std::move(start), change, name_space);
}

bool got_worse(const Comparison& comparison) {
  return !comparison.drain_outcome.late.empty() ||
         got_worse(comparison.difference, comparison.before, comparison.after, comparison.change);
}

}  // namespace loadline::simulator
