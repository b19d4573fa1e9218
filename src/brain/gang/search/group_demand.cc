#include "brain/gang/search/group_demand.h"

#include <algorithm>
#include <optional>

#include "brain/gang/subgroup_tree.h"

namespace loadline::gang {

using cluster::PodId;

bool is_in(const cluster::Cluster& cluster, PodId pod, const cluster::SubGroup& subgroup) {
  if (!subgroup.pods.empty()) return std::ranges::find(subgroup.pods, cluster.pod_name(pod)) != subgroup.pods.end();
  return subgroup.selector.matches(cluster.shape_of(pod).labels, cluster.symbols());
}

std::int64_t counted_in(const cluster::Cluster& cluster, const cluster::PodGroup& group,
                        const cluster::SubGroup& subgroup) {
  const auto placed = std::ranges::count_if(group.members, [&](PodId pod) {
    const cluster::PodRecord& record = cluster.pod(pod);
    return record.node.valid() && !record.terminating && is_in(cluster, pod, subgroup);
  });
  return placed + group.finished.count_in(subgroup, cluster.symbols());
}

std::int64_t least_of(const placement::Scheduler& scheduler, const cluster::PodGroup& group, PodId member) {
  return scheduler.permit(member) ? group.still_needed() : 1;
}

GroupDemand demand_of(const cluster::Cluster& cluster, const placement::Scheduler& scheduler, cluster::GroupId id,
                      std::span<const PodId> members) {
  GroupDemand demand;
  demand.members.assign(members.begin(), members.end());
  const cluster::PodGroup& group = cluster.group(id);
  demand.least = least_of(scheduler, group, members.front());
  const SubgroupTree tree(group.rules);
  for (std::size_t i = 0; i < group.rules.subgroups.size(); ++i) {
    const cluster::SubGroup& subgroup = group.rules.subgroups[i];
    GroupDemand::Part part;
    part.least = tree.is_leaf(i) ? subgroup.min_count - counted_in(cluster, group, subgroup) : 0;
    if (part.least <= 0) continue;
    std::ranges::copy_if(members, std::back_inserter(part.members),
                         [&](PodId pod) { return is_in(cluster, pod, subgroup); });
    if (part.members.empty() && tree.has_choice()) continue;
    demand.parts.push_back(std::move(part));
  }
  return demand;
}

std::vector<LackingSubgroup> lacking_subgroups(const cluster::Cluster& cluster, cluster::GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  if (!group.rules.has_minimums_of_subgroups() || group.has_started || group.succeeded > 0) return {};
  const SubgroupTree tree(group.rules);
  std::vector<std::int64_t> members(group.rules.subgroups.size());
  for (const PodId pod : group.members) {
    if (cluster.pod(pod).terminating) continue;
    for (std::size_t i = 0; i < members.size(); ++i) members[i] += is_in(cluster, pod, group.rules.subgroups[i]);
  }
  const auto suffices = [&](std::size_t leaf) { return members[leaf] >= group.rules.subgroups[leaf].min_count; };
  if (tree.is_met(suffices)) return {};
  std::vector<LackingSubgroup> lacking;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const cluster::SubGroup& subgroup = group.rules.subgroups[i];
    if (tree.is_leaf(i) && !suffices(i)) lacking.push_back({subgroup.name, members[i], subgroup.min_count});
  }
  return lacking;
}

bool subgroups_are_met(const cluster::Cluster& cluster, cluster::GroupId id, std::span<const PodId> members) {
  const cluster::PodGroup& group = cluster.group(id);
  const std::vector<cluster::SubGroup>& subgroups = group.rules.subgroups;
  if (subgroups.empty()) return true;
  const SubgroupTree tree(group.rules);
  std::vector<bool> met(subgroups.size());
  for (std::size_t i = 0; i < subgroups.size(); ++i) {
    met[i] = !tree.is_leaf(i) || counted_in(cluster, group, subgroups[i]) >= subgroups[i].min_count;
  }
  const auto is_met = [&](std::size_t leaf) { return bool{met[leaf]}; };
  if (!tree.is_met(is_met)) return false;
  if (!tree.has_choice()) return true;
  return std::ranges::all_of(members, [&](PodId pod) {
    std::optional<std::size_t> part = leaf_of(cluster, tree, group.rules, pod);
    while (part && tree.is_met(*part, is_met)) part = tree.parent_of(*part);
    return !part;
  });
}

}  // namespace loadline::gang
