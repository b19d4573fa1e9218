#pragma once

#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::operators {

/// The condition of that type that is true: Available, UpdateInProgress, Progressing.
/// Source: kubernetes-sigs/lws v0.9.0, makeCondition in pkg/controllers/leaderworkerset_controller.go, as the next.
[[nodiscard]] kube::MetaCondition group_condition(std::string_view type, const kube::ObjectMeta& set, Instant now);

/// Puts conditions that are true into the list; those that they exclude become false. As the operator does, it sets no
/// other once one has changed anything: the next look at the set goes on. True if anything has changed.
bool set_group_conditions(std::vector<kube::MetaCondition>& conditions,
                          const std::vector<kube::MetaCondition>& now_true, std::int64_t generation);

/// A group as far as the status is concerned.
struct CountedGroup {
  std::int64_t index = 0;
  bool is_ready = false;
  bool is_updated = false;
};

/// What groups come to.
struct GroupCounts {
  std::int32_t ready = 0;
  std::int32_t updated = 0;
  std::vector<std::string_view> conditions;  ///< types of those that are true now
  bool is_update_done = false;               ///< older revisions are not needed any more
};
[[nodiscard]] GroupCounts count_groups(const kube::LeaderWorkerSet& set, const std::vector<CountedGroup>& groups);

}  // namespace loadline::operators
