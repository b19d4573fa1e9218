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

PreFilterVerdict NodePorts::pre_filter(Cycle& cycle) const {
  return cycle.shape().host_ports.empty() ? PreFilterVerdict::skipped() : PreFilterVerdict::go_on();
}

RejectionId NodePorts::filter(Cycle& cycle, cluster::NodeId node) const {
  cluster::Cluster& cluster = cycle.cluster();
  if (!cluster.has_host_ports(node)) return kPassed;
  const Symbol wildcard = cluster.symbols().intern("0.0.0.0");
  for (const cluster::PodId pod : cluster.pods_on(node)) {
    if (!any_conflict(cycle.shape(), cluster.shape_of(pod), wildcard)) continue;
    return cycle.reject({name(), Code::kUnschedulable, {{ReasonKind::kNodePortConflict, ""}}});
  }
  return kPassed;
}

std::unique_ptr<Plugin> make_node_ports(const kube::PluginArgs&) { return std::make_unique<NodePorts>(); }

}  // namespace loadline::placement
