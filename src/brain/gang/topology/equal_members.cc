#include "brain/gang/topology/equal_members.h"

#include <algorithm>
#include <utility>

namespace loadline::gang {
namespace {

/// Nodes are all that it asks something of.
bool is_plain(const cluster::PodShape& shape) {
  return shape.host_ports.empty() && shape.required_affinity.empty() && shape.required_anti_affinity.empty() &&
         shape.spread.empty() && shape.spec != nullptr && shape.spec->volumes.empty() &&
         shape.spec->resource_claims.empty();
}

/// The largest share of what all nodes offer of one resource, in billionths.
std::int64_t share_of(const placement::CountableDemand& demand, const std::vector<std::int64_t>& offered) {
  constexpr double kBillion = 1e9;
  double share = 0;
  for (const cluster::ResourceAmount& each : demand.amounts) {
    const auto all = static_cast<double>(std::max<std::int64_t>(offered[each.resource.index()], 1));
    share = std::max(share, static_cast<double>(each.amount) / all);
  }
  return static_cast<std::int64_t>(std::min(share, kBillion) * kBillion);
}

std::vector<std::int64_t> offered_by_all(const cluster::Cluster& cluster) {
  std::vector<std::int64_t> offered(cluster.resources().size());
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const auto column = cluster.allocatable(cluster::ResourceId{i});
    for (const cluster::NodeId node : cluster.nodes()) offered[i] += column[node.index()];
  }
  return offered;
}

}  // namespace

bool are_alike(const cluster::Cluster& cluster, cluster::PodId a, cluster::PodId b) {
  const cluster::PodRecord& first = cluster.pod(a);
  const cluster::PodRecord& second = cluster.pod(b);
  if (first.priority != second.priority) return false;
  if (first.shape == second.shape) return true;
  const cluster::PodShape& x = cluster.shape(first.shape);
  const cluster::PodShape& y = cluster.shape(second.shape);
  if (x.name_space != y.name_space || x.scheduler_name != y.scheduler_name) return false;
  return is_plain(x) && is_plain(y) && x.required_node_name == y.required_node_name && x.requests == y.requests &&
         x.usage == y.usage && x.node_affinity == y.node_affinity && x.tolerations == y.tolerations &&
         x.candidate_node_names == y.candidate_node_names;
}

std::vector<EqualMembers> equal_members(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                                        std::span<const cluster::PodId> members) {
  std::vector<EqualMembers> kinds;
  for (const cluster::PodId pod : members) {
    const auto known =
        std::ranges::find_if(kinds, [&](const EqualMembers& kind) { return are_alike(cluster, kind.front(), pod); });
    if (known == kinds.end()) {
      kinds.push_back({pod});
    } else {
      known->push_back(pod);
    }
  }
  if (kinds.size() < 2) return kinds;
  const std::vector<std::int64_t> offered = offered_by_all(cluster);
  std::ranges::stable_sort(kinds, std::ranges::greater(), [&](const EqualMembers& kind) {
    return share_of(scheduler.demand_of(kind.front()), offered);
  });
  return kinds;
}

}  // namespace loadline::gang
