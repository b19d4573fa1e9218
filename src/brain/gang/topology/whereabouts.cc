#include "brain/gang/topology/whereabouts.h"

#include <algorithm>
#include <map>
#include <set>

#include "brain/gang/topology/close_placement.h"
#include "brain/gang/topology/closeness.h"

namespace loadline::gang {

using cluster::NodeId;

namespace {

std::vector<NodeId> nodes_of_members(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  std::vector<NodeId> nodes;
  for (const cluster::PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.node.valid() && !record.terminating) nodes.push_back(record.node);
  }
  return nodes;
}

/// The level that shows how the members are divided: of their slices, or the next one inside their domain, if that has
/// domains of more than one node.
std::size_t level_of_parts(const Closeness& close, DomainIndex domain) {
  const DomainTree& tree = *close.tree;
  if (close.slice_size > 0) return std::max(close.slice_level, tree.at(domain).level);
  for (const DomainIndex child : tree.children_of(domain)) {
    if (tree.nodes_of(child).size() > 1) return tree.at(domain).level + 1;
  }
  return tree.at(domain).level;
}

std::vector<Whereabouts::Part> divide(const DomainTree& tree, const std::vector<NodeId>& nodes, std::size_t level) {
  std::map<DomainIndex, Whereabouts::Part> parts;
  std::map<DomainIndex, std::set<NodeId>> used;
  for (const NodeId node : nodes) {
    const DomainIndex domain = tree.at_level(tree.domain_of(node), level);
    ++parts[domain].members;
    used[domain].insert(node);
  }
  std::vector<Whereabouts::Part> found;
  for (auto& [domain, part] : parts) {
    part.domain = tree.path(domain);
    part.used_nodes = used[domain].size();
    part.nodes = tree.nodes_of(domain).size();
    found.push_back(std::move(part));
  }
  return found;
}

}  // namespace

std::optional<Whereabouts> whereabouts(const cluster::Cluster& cluster, DomainTrees& trees, cluster::GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  if (!has_topology_wish(group) || group.topology_wish().empty()) return std::nullopt;
  const tl::expected<Closeness, WishFault> close = resolve(group.topology_wish(), cluster, trees);
  const std::vector<NodeId> nodes = nodes_of_members(cluster, group);
  if (!close || nodes.empty()) return std::nullopt;
  const DomainTree& tree = *close->tree;
  DomainIndex domain = tree.domain_of(nodes.front());
  for (const NodeId node : nodes) domain = tree.common(domain, tree.domain_of(node));
  const std::size_t asked = close->start > 0 ? close->start : close->slice_level;
  if (tree.at(domain).level > asked) domain = tree.at_level(domain, asked);
  Whereabouts found;
  const DomainTree::Level& level = tree.levels()[tree.at(domain).level];
  found.level = level.name;
  found.alias = level.alias;
  found.domain = tree.path(domain);
  found.parts = divide(tree, nodes, level_of_parts(*close, domain));
  return found;
}

}  // namespace loadline::gang
