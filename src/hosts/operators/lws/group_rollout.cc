#include "hosts/operators/lws/group_rollout.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "hosts/controllers/rollout.h"

namespace loadline::operators {
namespace {

bool is_done(const GroupState& group) { return group.is_ready && group.is_updated; }

/// Groups that are wanted and not done: surplus ones do not count.
std::int32_t unready_groups(const LeadersState& leaders, std::int32_t replicas) {
  const auto done = std::count_if(leaders.groups.begin(), leaders.groups.lower_bound(replicas),
                                  [](const auto& group) { return is_done(group.second); });
  return replicas - static_cast<std::int32_t>(done);
}

/// A number of groups is an int32, as in Kubernetes.
std::int32_t sum_of(std::int64_t replicas, std::int64_t more) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(replicas + more, std::numeric_limits<std::int32_t>::max()));
}

/// With as many surplus groups as stand in for those that are not done, beyond what may be unavailable.
std::int32_t with_surge(std::int32_t replicas, const RolloutLimits& limits, std::int32_t unready) {
  if (unready > limits.surge) return sum_of(replicas, limits.surge);
  return sum_of(replicas, std::max<std::int64_t>(0, std::int64_t{unready} - limits.unavailable));
}

/// How many groups in a row are done, from the last one down.
std::int32_t done_at_the_end(const LeadersState& leaders) {
  std::int32_t done = 0;
  for (auto group = leaders.groups.rbegin(); group != leaders.groups.rend(); ++group, ++done) {
    if (group->first != leaders.replicas - 1 - done || !is_done(group->second)) break;
  }
  return done;
}

/// So far down may groups be replaced that `step` of them are on their way; it only goes down.
std::int32_t next_partition(const LeadersState& leaders, std::int64_t step) {
  const auto& groups = leaders.groups;
  const auto lowest =
      static_cast<std::int32_t>(std::max<std::int64_t>(0, leaders.replicas - done_at_the_end(leaders) - step));
  const auto ready = static_cast<std::int32_t>(std::count_if(groups.begin(), groups.lower_bound(lowest),
                                                             [](const auto& group) { return group.second.is_ready; }));
  std::int32_t partition = sum_of(lowest, lowest - ready);
  // To replace a group that is not ready costs nothing: without this, a set of which nothing is ready would be stuck.
  // So it goes on down to a group that is ready and old.
  if (const std::int32_t last = std::min(partition, leaders.replicas - 1); last >= lowest) {
    std::int32_t end = lowest;
    for (auto group = groups.upper_bound(last); group != groups.begin() && std::prev(group)->first >= lowest; --group) {
      const GroupState& state = std::prev(group)->second;
      if (!state.is_ready || state.is_updated) continue;
      end = std::prev(group)->first + 1;
      break;
    }
    if (end <= last) partition = end;
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
  const std::int32_t replicas = with_surge(wanted, limits, unready_groups(*leaders, wanted));
  if (leaders->noted_replicas != wanted) return {std::min(leaders->partition, sum_of(wanted, limits.surge)), replicas};
  // Surplus groups that are given back do not count as ones that may be unavailable.
  const std::int64_t step = std::int64_t{limits.unavailable} + leaders->replicas - wanted;
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
