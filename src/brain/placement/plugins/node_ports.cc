#include "brain/placement/plugins/node_ports.h"

#include <string>

#include "brain/placement/cycle.h"

namespace loadline::placement {
namespace {

/// The first port that both want, or null.
const cluster::HostPort* conflict(const cluster::PodShape& wanting, const cluster::PodShape& holding, Symbol wildcard) {
  for (const cluster::HostPort& wanted : wanting.host_ports) {
    for (const cluster::HostPort& taken : holding.host_ports) {
      if (cluster::conflict(wanted, taken, wildcard)) return &wanted;
    }
  }
  return nullptr;
}

}  // namespace

Locality NodePorts::sign(Cycle& cycle, Signature& signature) const {
  signature.add(cycle.shape().host_ports.size());
  for (const cluster::HostPort& port : cycle.shape().host_ports) {
    signature.add(port.ip);
    signature.add(port.protocol, port.port);
  }
  return Locality::kNode;
}

PreFilterResult NodePorts::pre_filter(Cycle& cycle) const {
  return cycle.shape().host_ports.empty() ? PreFilterResult::skipped() : PreFilterResult::go_on();
}

RejectionId NodePorts::filter(Cycle& cycle, cluster::NodeId node) const {
  cluster::Cluster& cluster = cycle.cluster();
  if (!cluster.has_host_ports(node)) return kPassed;
  const Symbol wildcard = cluster.symbols().intern("0.0.0.0");
  for (const cluster::PodId pod : cluster.pods_on(node)) {
    if (conflict(cycle.shape(), cluster.shape_of(pod), wildcard) == nullptr) continue;
    return cycle.reject(*this, Code::kUnschedulable, ReasonKind::kNodePortConflict);
  }
  return kPassed;
}

void NodePorts::explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const {
  cluster::Cluster& cluster = cycle.cluster();
  const Symbol wildcard = cluster.symbols().intern("0.0.0.0");
  for (const cluster::PodId pod : cluster.pods_on(node)) {
    const cluster::HostPort* port = conflict(cycle.shape(), cluster.shape_of(pod), wildcard);
    if (port == nullptr) continue;
    Obstacle& obstacle = obstacles.emplace_back();
    obstacle.plugin = name();
    obstacle.reason = {ReasonKind::kNodePortConflict, ""};
    obstacle.subject = std::to_string(port->port);
    obstacle.wanted = cluster.pod_text(pod);
  }
}

std::unique_ptr<Plugin> make_node_ports(const kube::PluginArgs&) { return std::make_unique<NodePorts>(); }

}  // namespace loadline::placement
