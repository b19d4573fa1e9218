#include "brain/gang/topology/node_room.h"

#include <algorithm>

namespace loadline::gang {
namespace {

bool keeps_apart_from_its_like(const cluster::Cluster& cluster, const cluster::PodShape& shape) {
  return std::ranges::any_of(shape.required_anti_affinity,
                             [&](const cluster::AffinityTerm& rule) { return cluster.matches(rule.term, shape); });
}

}  // namespace

std::int64_t most_on(const cluster::Cluster& cluster, cluster::PodId pod, cluster::NodeId node) {
  const cluster::PodShape& shape = cluster.shape_of(pod);
  if (!shape.host_ports.empty() || keeps_apart_from_its_like(cluster, shape)) return 1;
  std::int64_t most = cluster.allowed_pods(node) - std::ssize(cluster.pods_on(node));
  for (const cluster::ResourceAmount& used : shape.usage) {
    if (used.amount <= 0) continue;
    const auto asked = std::ranges::find(shape.requests, used.resource, &cluster::ResourceAmount::resource);
    if (asked == shape.requests.end()) continue;
    const std::int64_t free = cluster.allocatable(node, used.resource) - cluster.requested(node, used.resource);
    most = std::min(most, (free - asked->amount) / used.amount + 1);
  }
  return std::max<std::int64_t>(most, 1);
}

NodeRoom room_for(const cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::PodId pod,
                  const DomainTree& tree, DomainIndex domain, const std::vector<bool>& within) {
  const std::span<const cluster::NodeId> nodes = tree.nodes_of(domain);
  std::vector<cluster::NodeId> asked;
  if (!within.empty()) {
    std::ranges::copy_if(nodes, std::back_inserter(asked), [&](cluster::NodeId node) { return within[node.index()]; });
  }
  const std::vector<cluster::NodeId> fit = scheduler.fitting(pod, within.empty() ? nodes : asked);
  NodeRoom room(tree.nodes().size());
  std::size_t place = tree.at(domain).first_node;
  for (const cluster::NodeId node : fit) {
    while (tree.nodes()[place] != node) ++place;
    room[place] = most_on(cluster, pod, node);
  }
  return room;
}

}  // namespace loadline::gang
