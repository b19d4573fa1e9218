#include "brain/gang/topology/label_levels.h"

namespace loadline::gang {

DomainTree tree_of_labels(const cluster::Cluster& cluster, const std::vector<cluster::TopologyLevel>& levels) {
  std::vector<DomainTree::Level> named;
  std::vector<Symbol> labels;
  for (const cluster::TopologyLevel& level : levels) {
    named.push_back({level.label, level.alias});
    labels.push_back(cluster.symbols().find(level.label));  // invalid: no node has it
  }
  DomainTreeBuilder builder(std::move(named));
  for (const cluster::NodeId node : cluster.nodes()) {
    std::size_t domain = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Symbol value = labels[i].valid() ? cluster.facts(node).labels.find(labels[i]) : Symbol{};
      if (!value.valid()) break;
      domain = builder.domain(domain, i + 1, cluster.symbols().text(value));
    }
    builder.put(node, domain);
  }
  return std::move(builder).build(cluster.node_slots());
}

bool is_in_place(const cluster::Cluster& cluster, const DomainTree& tree, cluster::NodeId node) {
  DomainIndex domain = tree.domain_of(node);
  for (std::size_t level = tree.levels().size() - 1; level > 0; --level) {
    const Symbol label = cluster.symbols().find(tree.levels()[level].name);
    const Symbol value = label.valid() ? cluster.facts(node).labels.find(label) : Symbol{};
    if (tree.at(domain).level == level) {
      if (!value.valid() || cluster.symbols().text(value) != tree.at(domain).name) return false;
      domain = tree.at(domain).parent;
    } else if (value.valid() && tree.at(domain).level + 1 == level) {
      return false;  // it lacked this label
    }
  }
  return true;
}

}  // namespace loadline::gang
