#include "brain/gang/topology/required_domains.h"

#include <algorithm>
#include <span>
#include <utility>

#include "brain/gang/topology/closeness.h"

namespace loadline::gang {

using cluster::NodeId;

std::optional<std::vector<std::vector<NodeId>>> required_domains(const cluster::Cluster& cluster, DomainTrees& trees,
                                                                 cluster::GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  if (group.topology_wish().required.empty()) return std::nullopt;
  const tl::expected<Closeness, WishFault> close = resolve(group.topology_wish(), cluster, trees);
  if (!close || close->ceiling == 0) return std::nullopt;
  const DomainTree& tree = *close->tree;
  std::vector<DomainIndex> domains = tree.domains_of(close->ceiling);
  for (const cluster::PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (!record.node.valid() || record.terminating) continue;
    std::erase_if(domains, [&](DomainIndex each) { return !tree.contains(each, tree.domain_of(record.node)); });
  }
  std::vector<std::vector<NodeId>> nodes;
  for (const DomainIndex each : domains) {
    const std::span<const NodeId> inside = tree.nodes_of(each);
    nodes.emplace_back(inside.begin(), inside.end());
  }
  return nodes;
}

}  // namespace loadline::gang
