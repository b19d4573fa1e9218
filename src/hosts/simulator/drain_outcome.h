#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/simulator/change.h"
#include "hosts/simulator/drain_schedule.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/pod_runs.h"

namespace loadline::simulator {

/// What becomes of a gang that leaves drained nodes before a deadline.
struct GangAfterwards {
  enum class Kind : std::uint8_t {
    kGoesOn,          ///< as many members as have to start together are on nodes
    kWaits,           ///< it starts when there is room
    kIsHeld,          ///< a disruption budget keeps it where it is
    kNotBroughtBack,  ///< no controller makes pods in its members' stead
  };

  Kind kind = Kind::kWaits;
  std::vector<std::string> nodes;  ///< of one that goes on: where its pods are then, each node once
  /// When the last of them has its node, or, if the gang waits, its planned start. nullopt: nobody knows.
  std::optional<Instant> at;
  friend bool operator==(const GangAfterwards&, const GangAfterwards&) = default;
};

/// A drained node on which pods are still leaving at the deadline.
struct LateNode {
  std::string node;
  Instant free_at;  ///< when the grace period of the last of them is over
  friend bool operator==(const LateNode&, const LateNode&) = default;
};

/// What comes of a drain with a deadline.
struct DrainOutcome {
  std::vector<GangAfterwards> gangs;  ///< in the order of DrainSchedule::gangs; of one left alone it says nothing
  std::vector<LateNode> late;         ///< without nodes that pods do not leave at all
};

/// As the plan `after` shows, in which the schedule is followed. O(pods × log pods).
DrainOutcome drain_outcome(const DrainSchedule& schedule, const std::vector<DrainedNode>& drains, const Plan& before,
                           const Plan& after, const PodRuns& runs, Instant now);

}  // namespace loadline::simulator
