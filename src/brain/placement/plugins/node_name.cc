#include "brain/placement/plugins/node_name.h"

#include "brain/placement/cycle.h"

namespace loadline::placement {

Locality NodeName::sign(Cycle& cycle, Signature& signature) const {
  signature.add(cycle.shape().required_node_name);
  return Locality::kFacts;
}

RejectionId NodeName::filter(Cycle& cycle, cluster::NodeId node) const {
  const Symbol required = cycle.shape().required_node_name;
  if (!required.valid() || required == cycle.cluster().facts(node).name) return kPassed;
  return cycle.reject(*this, Code::kUnresolvable, ReasonKind::kNodeNameMismatch);
}

std::unique_ptr<Plugin> make_node_name(const kube::PluginArgs&) { return std::make_unique<NodeName>(); }

}  // namespace loadline::placement
