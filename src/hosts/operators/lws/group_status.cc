#include "hosts/operators/lws/group_status.h"

#include <utility>

#include "hosts/controllers/workload_conditions.h"

namespace loadline::operators {
namespace {

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kUpdateInProgress = "UpdateInProgress";
constexpr std::string_view kProgressing = "Progressing";

/// What is available is neither on its way nor being updated.
bool are_exclusive(std::string_view one, std::string_view other) {
  return (one == kAvailable && (other == kProgressing || other == kUpdateInProgress)) ||
         (other == kAvailable && (one == kProgressing || one == kUpdateInProgress));
}

bool set_true(std::vector<kube::MetaCondition>& conditions, const kube::MetaCondition& now) {
  bool is_known = false;
  bool has_changed = false;
  for (kube::MetaCondition& known : conditions) {
    if (known.type == now.type) {
      is_known = true;
      if (known.status == now.status && known.observed_generation == now.observed_generation) continue;
      known = now;
      has_changed = true;
    } else if (known.status == "True" && are_exclusive(known.type, now.type)) {
      known.status = "False";
      known.last_transition_time = now.last_transition_time;
      known.observed_generation = now.observed_generation;
      has_changed = true;
    }
  }
  if (is_known) return has_changed;
  conditions.push_back(now);
  return true;
}

}  // namespace

kube::MetaCondition group_condition(std::string_view type, const kube::ObjectMeta& set, Instant now) {
  std::string_view reason = "GroupsProgressing";
  std::string_view message = "Replicas are progressing";
  if (type == kAvailable) {
    reason = "AllGroupsReady";
    message = "All replicas are ready";
  } else if (type == kUpdateInProgress) {
    reason = "GroupsUpdating";
    message = "Rolling Upgrade is in progress";
  }
  return {std::string(type),   "True", set.generation, controllers::whole_seconds(now), std::string(reason),
          std::string(message)};
}

bool set_group_conditions(std::vector<kube::MetaCondition>& conditions,
                          const std::vector<kube::MetaCondition>& now_true, std::int64_t generation) {
  bool has_changed = false;
  for (const kube::MetaCondition& each : now_true) has_changed = has_changed || set_true(conditions, each);
  for (kube::MetaCondition& each : conditions) {
    if (each.observed_generation == generation) continue;
    each.observed_generation = generation;
    has_changed = true;
  }
  return has_changed;
}

GroupCounts count_groups(const kube::LeaderWorkerSet& set, const std::vector<CountedGroup>& groups) {
  GroupCounts counts;
  std::int32_t wanted_ready = 0;
  // Of those that are wanted and not kept at their revision by the partition.
  std::int32_t there = 0;
  std::int32_t updated = 0;
  std::int32_t done = 0;
  for (const CountedGroup& group : groups) {
    counts.ready += group.is_ready ? 1 : 0;
    counts.updated += group.is_updated ? 1 : 0;
    if (group.index >= set.replicas) continue;
    wanted_ready += group.is_ready ? 1 : 0;
    if (group.index < set.partition) continue;
    ++there;
    updated += group.is_updated ? 1 : 0;
    done += group.is_ready && group.is_updated ? 1 : 0;
  }
  if (updated < there) {
    counts.conditions = {kUpdateInProgress, kProgressing};
  } else {
    counts.conditions = {wanted_ready == set.replicas && done == there ? kAvailable : kProgressing};
  }
  counts.is_update_done = set.partition == 0 && done == set.replicas;
  return counts;
}

}  // namespace loadline::operators
