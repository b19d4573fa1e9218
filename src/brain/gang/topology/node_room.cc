#include "brain/gang/topology/node_room.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace loadline::gang {
namespace {

bool keeps_apart_from_its_like(const cluster::Cluster& cluster, const cluster::PodShape& shape) {
  return std::ranges::any_of(shape.required_anti_affinity,
                             [&](const cluster::AffinityTerm& rule) { return cluster.matches(rule.term, shape); });
}

/// At most so many pods fit on each of the nodes. REQUIRES: one fits there. O(nodes × resources).
std::vector<std::int64_t> most_on(const cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::PodId pod,
                                  std::span<const cluster::NodeId> nodes) {
  const cluster::PodShape& shape = cluster.shape_of(pod);
  std::vector<std::int64_t> most(nodes.size(), 1);
  if (!shape.host_ports.empty() || keeps_apart_from_its_like(cluster, shape)) return most;
  const placement::CountableDemand& demand = scheduler.demand_of(pod);
  if (!demand.takes_place) most.assign(nodes.size(), placement::kNoLimit);
  for (std::size_t i = 0; demand.takes_place && i < nodes.size(); ++i) {
    most[i] = cluster.allowed_pods(nodes[i]) - std::ssize(cluster.pods_on(nodes[i]));
  }
  for (const auto& [resource, used] : shape.usage) {
    const std::int64_t asked = demand.amount_of(resource);
    if (used <= 0 || asked == 0) continue;
    const std::span<const std::int64_t> allocatable = cluster.allocatable(resource);
    const std::span<const std::int64_t> requested = cluster.requested(resource);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::size_t n = nodes[i].index();
      most[i] = std::min(most[i], (allocatable[n] - requested[n] - asked) / used + 1);
    }
  }
  for (std::int64_t& each : most) each = std::max<std::int64_t>(each, 1);
  return most;
}

}  // namespace

NodeRoom room_for(const cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::PodId pod,
                  const DomainTree& tree, DomainIndex domain, const std::vector<bool>& within) {
  const std::span<const cluster::NodeId> nodes = tree.nodes_of(domain);
  std::vector<cluster::NodeId> asked;
  if (!within.empty()) {
    std::ranges::copy_if(nodes, std::back_inserter(asked), [&](cluster::NodeId node) { return within[node.index()]; });
  }
  const std::vector<cluster::NodeId> fit = scheduler.fitting(pod, within.empty() ? nodes : asked);
  const std::vector<std::int64_t> most = most_on(cluster, scheduler, pod, fit);
  NodeRoom room(tree.nodes().size());
  std::size_t place = tree.at(domain).first_node;
  for (std::size_t i = 0; i < fit.size(); ++i) {
    while (tree.nodes()[place] != fit[i]) ++place;
    room[place] = most[i];
  }
  return room;
}

}  // namespace loadline::gang
