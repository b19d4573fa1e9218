#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "brain/gang/maintenance.h"
#include "foundation/base/time.h"
#include "hosts/simulator/change.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What is known of the run of a pod.
struct PodRun {
  gang::MemberRun known;
  std::int64_t gpus = 0;
  bool is_managed = false;  ///< a controller brings it back
};
using PodRuns = std::map<PodName, PodRun>;
PodRuns runs_of(const kube::Objects& cluster);

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

/// What drains and removed nodes do to groups that run. Until a later moment those that have not ended go on, and lose
/// what they have done until then, too: checkpoints to come are not known. O(pods × log pods).
Disturbance disturbance(const Plan& before, const ChangedCluster& change, const PodRuns& runs, Instant now);

}  // namespace loadline::simulator
