#include "hosts/simulator/topology_notes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/topology_objects.h"
#include "brain/gang/topology/hyper_nodes.h"

namespace loadline::simulator {

Diagnostics note_topology_faults(const kube::Objects& objects, const cluster::Cluster& cluster) {
  const cluster::TopologySpec* spec = cluster.topologies().find(cluster::kHyperNodeTopology);
  if (spec == nullptr || spec->hyper_nodes.empty()) return {};
  Diagnostics notes;
  const std::vector<kube::HyperNode>& all = objects.of<kube::HyperNode>();
  const gang::DomainTree tree = gang::tree_of_hyper_nodes(cluster, spec->hyper_nodes);
  for (const gang::DomainTree::Fault& fault : tree.faults()) {
    Diagnostic& note = notes.emplace_back();
    note.severity = Severity::kWarning;
    note.subject = "HyperNode " + fault.hyper_node;
    note.path = "spec.members";
    note.message = fault.sentence;
    const auto object =
        std::ranges::find(all, fault.hyper_node, [](const kube::HyperNode& each) { return each.metadata.name; });
    if (object != all.end()) note.at = object->metadata.source;
  }
  return notes;
}

}  // namespace loadline::simulator
