#include "brain/gang/held_room.h"

#include <algorithm>

namespace loadline::gang {

using cluster::PodId;

bool is_under_way(const cluster::Cluster& cluster, cluster::GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  return group.succeeded > 0 || std::ranges::any_of(group.members, [&](PodId pod) {
           const cluster::PodRecord& record = cluster.pod(pod);
           return record.node.valid() && !record.terminating && !is_placeholder(cluster, pod);
         });
}

std::int64_t held_places(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  return std::ranges::count_if(
      group.members, [&](PodId pod) { return is_placeholder(cluster, pod) && cluster.pod(pod).node.valid(); });
}

void leave_out_placeholders(const cluster::Cluster& cluster, std::vector<EvictionUnit>& victims) {
  for (EvictionUnit& unit : victims) {
    std::erase_if(unit.pods, [&](PodId pod) { return is_placeholder(cluster, pod); });
  }
  std::erase_if(victims, [](const EvictionUnit& unit) { return unit.pods.empty(); });
}

}  // namespace loadline::gang
