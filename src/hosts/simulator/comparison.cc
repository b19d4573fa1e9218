#include "hosts/simulator/comparison.h"

#include <memory>
#include <utility>

#include "hosts/simulator/planning.h"
#include "hosts/simulator/settled.h"

namespace loadline::simulator {

Result<Comparison> compare(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                           const Change& change, const PlanOptions& options, std::string_view name_space) {
  PlanOptions next = options;
  kube::Objects cluster;
  {
    Result<std::unique_ptr<Planning>> planning = Planning::make(objects, configuration, options);
    if (!planning) return tl::unexpected(planning.error());
    cluster = settled(**planning);
    next.replacements = (*planning)->replacements();
  }
  next.ends_until = change.drain_by;
  Result<Plan> before = make_plan(cluster, configuration, next);
  if (!before) return tl::unexpected(before.error());
  const PodRuns runs = runs_of(cluster);
  Result<ChangedCluster> changed = apply(change, std::move(cluster), next.replacements, options.seed);
  if (!changed) return tl::unexpected(changed.error());
  next.evictions = changed->evictions;
  for (const DrainedNode& drained : changed->drains) next.drained.insert(drained.node);
  std::optional<DrainSchedule> schedule;
  if (change.drain_by) {
    schedule = drain_schedule(*before, change, *changed, runs, options.now);
    schedule_evictions(*schedule, next);
  }
  next.replacements = changed->replacements;
  Result<Plan> after = make_plan(changed->objects, configuration, next);
  if (!after) return tl::unexpected(after.error());
  Comparison comparison{*std::move(before), *std::move(changed), *std::move(after), {}, {}, options.now};
  comparison.difference = difference(comparison.before, comparison.after, comparison.change, name_space);
  comparison.drain_schedule = std::move(schedule);
  comparison.disturbance =
      disturbance(comparison.before, next.evictions, comparison.change.departures, runs, options.now);
  // When the change is made costs something else then: the drain follows its schedule.
  if (comparison.drain_schedule) comparison.disturbance.later.reset();
  return comparison;
}

}  // namespace loadline::simulator
