#include "placement/plugins/node_ports.h"

#include "placement/cycle.h"

namespace loadline::placement {
namespace {

bool any_conflict(const cluster::PodShape& wanting, const cluster::PodShape& holding, Symbol wildcard) {
  for (const cluster::HostPort& wanted : wanting.host_ports) {
    for (const cluster::HostPort& taken : holding.host_ports) {
      if (cluster::conflict(wanted, taken, wildcard)) return true;
    }
  }
  return false;
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

PreFilterVerdict NodePorts::pre_filter(Cycle& cycle) const {
  return cycle.shape().host_ports.empty() ? PreFilterVerdict::skipped() : PreFilterVerdict::go_on();
}

RejectionId NodePorts::filter(Cycle& cycle, cluster::NodeId node) const {
  cluster::Cluster& cluster = cycle.cluster();
  if (!cluster.has_host_ports(node)) return kPassed;
  const Symbol wildcard = cluster.symbols().intern("0.0.0.0");
  for (const cluster::PodId pod : cluster.pods_on(node)) {
    if (!any_conflict(cycle.shape(), cluster.shape_of(pod), wildcard)) continue;
    return cycle.reject(*this, Code::kUnschedulable, ReasonKind::kNodePortConflict);
  }
  return kPassed;
}

std::unique_ptr<Plugin> make_node_ports(const kube::PluginArgs&) { return std::make_unique<NodePorts>(); }

}  // namespace loadline::placement
