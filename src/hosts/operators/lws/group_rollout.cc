#include "hosts/operators/lws/group_rollout.h"

#include <algorithm>
#include <cstddef>

#include "hosts/controllers/rollout.h"

namespace loadline::operators {
namespace {

bool is_done(const GroupState& group) { return group.is_ready && group.is_updated; }

/// Groups that are wanted and not done: surplus ones do not count.
std::int32_t unready_groups(const std::vector<GroupState>& groups, std::int32_t replicas) {
  std::int32_t done = 0;
  for (std::size_t i = 0; i < groups.size() && i < static_cast<std::size_t>(replicas); ++i) {
    done += is_done(groups[i]) ? 1 : 0;
  }
  return replicas - done;
}

/// With as many surplus groups as stand in for those that are not done, beyond what may be unavailable.
std::int32_t with_surge(std::int32_t replicas, const RolloutLimits& limits, std::int32_t unready) {
  if (unready > limits.surge) return replicas + limits.surge;
  return replicas + std::max(0, unready - limits.unavailable);
}

/// So far down may groups be replaced that `step` of them are on their way; it only goes down.
std::int32_t next_partition(const LeadersState& leaders, std::int32_t step) {
  const std::vector<GroupState>& groups = leaders.groups;
  const auto done =
      static_cast<std::int32_t>(std::find_if_not(groups.rbegin(), groups.rend(), is_done) - groups.rbegin());
  const std::int32_t lowest = std::max(0, leaders.replicas - done - step);
  const auto unready = static_cast<std::int32_t>(
      std::count_if(groups.begin(), groups.begin() + lowest, [](const GroupState& group) { return !group.is_ready; }));
  std::int32_t partition = lowest + unready;
  // To replace a group that is not ready costs nothing: without this, a set of which nothing is ready would be stuck.
  for (std::int32_t i = std::min(partition, leaders.replicas - 1); i >= lowest; --i) {
    const GroupState& group = groups[static_cast<std::size_t>(i)];
    if (group.is_ready && !group.is_updated) break;
    partition = i;
  }
  return std::min(partition, leaders.partition);
}

LeadersTarget target_of(const kube::LeaderWorkerSet& set, const LeadersState* leaders, bool has_new_revision) {
  const std::int32_t wanted = set.replicas;
  if (leaders == nullptr) return {0, wanted};
  const RolloutLimits limits = rollout_limits(set);
  if (has_new_revision) {
    const std::int32_t partition = std::min(wanted, leaders->replicas);
    // It is scaled up first.
    if (leaders->replicas < wanted) return {partition, wanted};
    return {partition, with_surge(wanted, limits, wanted)};
  }
  if (leaders->partition == 0 && leaders->replicas == wanted) return {0, wanted};
  if (leaders->replicas < wanted) return {leaders->partition, wanted};
  const std::int32_t replicas = with_surge(wanted, limits, unready_groups(leaders->groups, wanted));
  if (leaders->noted_replicas != wanted) return {std::min(leaders->partition, wanted + limits.surge), replicas};
  // Surplus groups that are given back do not count as ones that may be unavailable.
  const std::int32_t step = limits.unavailable + limits.surge - (wanted + limits.surge - leaders->replicas);
  return {next_partition(*leaders, step), replicas};
}

}  // namespace

RolloutLimits rollout_limits(const kube::LeaderWorkerSet& set) {
  using controllers::Rounding;
  using controllers::scaled_value;
  return {scaled_value(set.max_unavailable, set.replicas, Rounding::kDown),
          std::min(scaled_value(set.max_surge, set.replicas, Rounding::kUp), set.replicas)};
}

LeadersTarget leaders_target(const kube::LeaderWorkerSet& set, const LeadersState* leaders, bool has_new_revision) {
  LeadersTarget target = target_of(set, leaders, has_new_revision);
  target.partition = std::max(target.partition, set.partition);
  return target;
}

}  // namespace loadline::operators
