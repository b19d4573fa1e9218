#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/simulator/change.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/pod_runs.h"

namespace loadline::simulator {

/// A pod group from whose nodes a change takes pods away.
struct DisturbedGang {
  std::size_t group = 0;         ///< index into the earlier plan's groups
  std::size_t leaving = 0;       ///< members that have to leave
  std::size_t members = 0;       ///< that were on nodes before
  bool loses_run = false;        ///< those that stay are fewer than start together: the work of all of them is lost
  std::int64_t gpu_seconds = 0;  ///< work that is lost: run time × GPUs, since the start or the last checkpoint
  std::optional<Instant> ends;   ///< when it is expected to be over; nullopt: nobody knows
};

struct Disturbance {
  /// A later moment at which the same change costs less.
  struct Moment {
    Instant at;
    std::int64_t gpu_seconds = 0;
    std::size_t gangs = 0;  ///< that it still disturbs
  };

  std::vector<DisturbedGang> gangs;  ///< the most work first
  std::int64_t gpu_seconds = 0;      ///< of all of them, if the change is made now
  /// The cheapest one that is known: right after one of them has ended. Nothing: none is cheaper than now.
  std::optional<Moment> later;
};

/// What it does to groups that run that pods are evicted at once, and that others die with their nodes. Until a later
/// moment those that have not ended go on, and lose what they have done until then, too: checkpoints to come are not
/// known. A group that goes on loses the work of each member that leaves it; one that does not, that of all.
/// O(pods × log pods).
Disturbance disturbance(const Plan& before, const std::vector<PodName>& evictions,
                        const std::vector<Departure>& departures, const PodRuns& runs, Instant now);

}  // namespace loadline::simulator
