#include "brain/cluster/facts/topology_objects.h"

#include <vector>

namespace loadline::cluster {
namespace {

TopologySpec by_labels(const std::vector<kube::NodeLabelLevel>& levels) {
  TopologySpec spec;
  for (const kube::NodeLabelLevel& level : levels) spec.levels.push_back({level.node_label, level.alias});
  return spec;
}

HyperNode hyper_node_of(const kube::HyperNode& object, SymbolTable& symbols) {
  HyperNode made;
  made.name = object.metadata.name;
  made.tier = object.tier;
  made.tier_name = object.tier_name;
  for (const kube::HyperNode::Member& member : object.members) {
    HyperNodeMember& kept = made.members.emplace_back();
    kept.is_node = member.type == "Node";
    kept.name = member.name;
    kept.pattern = member.pattern;
    kept.labels = PodSelector::of(member.labels, symbols);
  }
  return made;
}

template <class Kind>
void set_each(const kube::Objects& objects, Cluster& cluster) {
  for (const Kind& each : objects.of<Kind>()) cluster.set_topology(each.metadata.name, topology_of(each));
}

}  // namespace

TopologySpec topology_of(const kube::KueueTopology& topology) { return by_labels(topology.levels); }

TopologySpec topology_of(const kube::KaiTopology& topology) { return by_labels(topology.levels); }

TopologySpec topology_of(const kube::ClusterTopologyBinding& binding) {
  TopologySpec spec;
  for (const kube::ClusterTopologyBinding::Level& level : binding.levels) {
    spec.levels.push_back({level.key, level.domain});
  }
  return spec;
}

TopologySpec topology_of(std::span<const kube::HyperNode* const> hyper_nodes, SymbolTable& symbols) {
  TopologySpec spec;
  for (const kube::HyperNode* each : hyper_nodes) spec.hyper_nodes.push_back(hyper_node_of(*each, symbols));
  return spec;
}

void set_topologies(const kube::Objects& objects, Cluster& cluster) {
  set_each<kube::KueueTopology>(objects, cluster);
  set_each<kube::KaiTopology>(objects, cluster);
  set_each<kube::ClusterTopologyBinding>(objects, cluster);
  std::vector<const kube::HyperNode*> hyper_nodes;
  for (const kube::HyperNode& each : objects.of<kube::HyperNode>()) hyper_nodes.push_back(&each);
  if (hyper_nodes.empty()) return;
  cluster.set_topology(kHyperNodeTopology, topology_of(hyper_nodes, cluster.symbols()));
}

}  // namespace loadline::cluster
