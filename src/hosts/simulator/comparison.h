#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "foundation/base/result.h"
#include "hosts/simulator/change.h"
#include "hosts/simulator/disturbed_gangs.h"
#include "hosts/simulator/drain_outcome.h"
#include "hosts/simulator/drain_schedule.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/plan_difference.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What happened to the cluster of the input before the change: it was planned to its end.
struct Settling {
  std::size_t placed = 0;  ///< pods that found a node
  std::size_t left = 0;    ///< pods that were preempted or evicted
};

/// A cluster before and after a change.
struct Comparison {
  Plan before;
  ChangedCluster change;
  Plan after;
  Difference difference;
  Disturbance disturbance = {};                      ///< of groups that run, by what leaves at once
  Instant now = {};                                  ///< when the change is made
  std::optional<DrainSchedule> drain_schedule = {};  ///< of a drain with a deadline
  DrainOutcome drain_outcome = {};                   ///< what came of it
  Settling settling = {};
};

/// What would the change do to the cluster that runs? The cluster is planned to its end and taken as settled; from
/// there it is planned twice, without the change and with it. So the difference shows what the change causes and
/// nothing else: pods that run do not move without cause, and what would be lost anyhow is lost before. Errors: the
/// scheduler configuration is inconsistent; the change cannot be made. Three times the cost of a plan at most.
/// `name_space`: the difference tells only of its pods; empty: of all.
Result<Comparison> compare(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                           const Change& change, const PlanOptions& options, std::string_view name_space = {});

/// Of the pods that the change moves, places or makes: how many have a node only if a queue of another project, which
/// is not decided here, lets them start.
[[nodiscard]] std::size_t undecided(const Comparison& comparison);

/// True if the change made something worse, as plan_difference.h says, or a drained node is free only after the
/// deadline.
[[nodiscard]] bool got_worse(const Comparison& comparison);

}  // namespace loadline::simulator
