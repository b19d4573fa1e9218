#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::operators {

// How a LeaderWorkerSet goes from one revision to the next: its leaders' StatefulSet replaces the leaders from the last
// to the first, as far down as its partition says, and each leader takes its workers with it.
// Source: kubernetes-sigs/lws v0.9.0, rollingUpdateParameters in pkg/controllers/leaderworkerset_controller.go.

/// A group as far as a rollout is concerned; one that is not there is neither.
struct GroupState {
  bool is_ready = false;    ///< its leader, and all of its workers
  bool is_updated = false;  ///< both are of the newest revision
};

/// What the leaders' StatefulSet says.
struct LeadersState {
  std::int32_t replicas = 0;
  std::int32_t partition = 0;
  std::int32_t noted_replicas = 0;                 ///< of the set, when the StatefulSet was last written
  std::map<std::int32_t, GroupState> groups = {};  ///< those that are there, by index; all below replicas
};

/// What it should say.
struct LeadersTarget {
  std::int32_t partition = 0;
  std::int32_t replicas = 0;
  friend bool operator==(const LeadersTarget&, const LeadersTarget&) = default;
};

/// maxUnavailable and maxSurge as numbers; there is no need for more groups than twice as many.
struct RolloutLimits {
  std::int32_t unavailable = 0;
  std::int32_t surge = 0;
};
[[nodiscard]] RolloutLimits rollout_limits(const kube::LeaderWorkerSet& set);

/// `leaders`: null, if they are not there yet. `has_new_revision`: what the groups are made from has just changed.
[[nodiscard]] LeadersTarget leaders_target(const kube::LeaderWorkerSet& set, const LeadersState* leaders,
                                           bool has_new_revision);

}  // namespace loadline::operators
