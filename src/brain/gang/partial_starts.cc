#include "brain/gang/partial_starts.h"

#include <algorithm>
#include <utility>

#include "brain/gang/group_standing.h"
#include "brain/gang/held_room.h"
#include "brain/gang/waiting_parts.h"

namespace loadline::gang {

using cluster::PodId;

namespace {

std::vector<PodId> pods_on_nodes(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  std::vector<PodId> pods;
  for (const PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.node.valid() && !record.terminating && !is_placeholder(cluster, pod)) pods.push_back(pod);
  }
  return pods;
}

bool is_ours(const cluster::Cluster& cluster, const placement::Scheduler& scheduler, PodId pod) {
  return scheduler.profile(cluster.symbols().text(cluster.shape_of(pod).scheduler_name)) != nullptr;
}

/// Whether the pod's profile would have let none of the group start. Minimums of subgroups are heeded by all.
bool asks_for_the_rest(const cluster::Cluster& cluster, const placement::Scheduler& scheduler,
                       const cluster::PodGroup& group, PodId pod) {
  return is_ours(cluster, scheduler, pod) && (!group.is_partly_placed() || scheduler.permit(pod).has_value());
}

}  // namespace

PartialStarts::Overdue PartialStarts::overdue(const cluster::Cluster& cluster, const placement::Scheduler& scheduler,
                                              Instant now) {
  Overdue overdue;
  std::map<Name, Instant> before = std::move(since_);
  since_.clear();
  // Whether what is named so was like that before, and long enough.
  const auto is_overdue = [&](Name name) {
    const auto known = before.find(name);
    const Instant since = known == before.end() ? now : known->second;
    since_.emplace(std::move(name), since);
    return now - since >= kPatience;
  };
  for (const cluster::GroupId id : cluster.placed_groups()) {
    const cluster::PodGroup& group = cluster.group(id);
    GroupStanding standing = standing_of(cluster, id);
    for (StalePart& part : standing.stale) {
      const std::string& subgroup = group.rules.subgroups[part.subgroup].name;
      if (!is_ours(cluster, scheduler, part.pods.front())) continue;
      if (!is_overdue({group.name_space, group.spelling, group.name, subgroup})) continue;
      const std::int32_t least = group.rules.subgroups[part.subgroup].min_count;
      overdue.broken.push_back({id, std::move(part.pods), {HeldInVain::kBySubgroup, part.subgroup, least}});
    }
    if (standing.is_whole || (group.has_started && !standing.has_lost)) continue;
    if (waits_for_later_part(cluster, group)) continue;  // it lost nothing
    std::vector<PodId> pods = pods_on_nodes(cluster, group);
    if (pods.empty() || !asks_for_the_rest(cluster, scheduler, group, pods.front())) continue;
    if (!is_overdue({group.name_space, group.spelling, group.name, {}})) continue;
    Release release{id, std::move(pods), {HeldInVain::kByGroup, 0, group.min_count}};
    (group.has_started ? overdue.broken : overdue.unfinished).push_back(std::move(release));
  }
  std::ranges::sort(overdue.broken, {}, [&](const Release& release) { return importance(cluster, release); });
  return overdue;
}

bool PartialStarts::is_any_watched(Instant now) const {
  return std::ranges::any_of(since_, [&](const auto& each) { return now - each.second < kPatience; });
}

}  // namespace loadline::gang
