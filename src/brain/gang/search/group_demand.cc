#include "brain/gang/search/group_demand.h"

#include <algorithm>

namespace loadline::gang {

using cluster::PodId;

bool is_in(const cluster::Cluster& cluster, PodId pod, const cluster::SubGroup& subgroup) {
  if (!subgroup.pods.empty()) return std::ranges::find(subgroup.pods, cluster.pod_name(pod)) != subgroup.pods.end();
  return subgroup.selector.matches(cluster.shape_of(pod).labels, cluster.symbols());
}

namespace {

/// Placed members of the subgroup that stay.
std::int64_t placed_of(const cluster::Cluster& cluster, const cluster::PodGroup& group,
                       const cluster::SubGroup& subgroup) {
  return std::ranges::count_if(group.members, [&](PodId pod) {
    const cluster::PodRecord& record = cluster.pod(pod);
    return record.node.valid() && !record.terminating && is_in(cluster, pod, subgroup);
  });
}

}  // namespace

std::int64_t least_of(const placement::Scheduler& scheduler, const cluster::PodGroup& group, PodId member) {
  return scheduler.permit(member) ? group.still_needed() : 1;
}

GroupDemand demand_of(const cluster::Cluster& cluster, const placement::Scheduler& scheduler, cluster::GroupId id,
                      std::span<const PodId> members) {
  GroupDemand demand;
  demand.members.assign(members.begin(), members.end());
  const cluster::PodGroup& group = cluster.group(id);
  demand.least = least_of(scheduler, group, members.front());
  for (const cluster::SubGroup& subgroup : group.rules.subgroups) {
    GroupDemand::Part part;
    part.least = subgroup.min_count - placed_of(cluster, group, subgroup);
    if (part.least <= 0) continue;
    std::ranges::copy_if(members, std::back_inserter(part.members),
                         [&](PodId pod) { return is_in(cluster, pod, subgroup); });
    demand.parts.push_back(std::move(part));
  }
  return demand;
}

bool subgroups_are_met(const cluster::Cluster& cluster, cluster::GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  return std::ranges::all_of(group.rules.subgroups, [&](const cluster::SubGroup& subgroup) {
    return placed_of(cluster, group, subgroup) >= subgroup.min_count;
  });
}

}  // namespace loadline::gang
