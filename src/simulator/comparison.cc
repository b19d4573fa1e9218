#include "simulator/comparison.h"

#include <memory>
#include <utility>

#include "simulator/planning.h"
#include "simulator/settled.h"

namespace loadline::simulator {

Result<Comparison> compare(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                           const Change& change, const PlanOptions& options, std::string_view name_space) {
  Comparison comparison;
  PlanOptions next = options;
  {
    Result<std::unique_ptr<Planning>> planning = Planning::make(objects, configuration, options);
    if (!planning) return tl::unexpected(planning.error());
    comparison.before = (*planning)->plan();
    Result<ChangedCluster> changed = apply(change, settled(**planning), (*planning)->replacements(), options.seed);
    if (!changed) return tl::unexpected(changed.error());
    comparison.change = *std::move(changed);
  }
  next.evictions = comparison.change.evictions;
  next.replacements = comparison.change.replacements;
  Result<Plan> after = make_plan(comparison.change.objects, configuration, next);
  if (!after) return tl::unexpected(after.error());
  comparison.after = *std::move(after);
  comparison.difference = difference(comparison.before, comparison.after, comparison.change, name_space);
  return comparison;
}

}  // namespace loadline::simulator
