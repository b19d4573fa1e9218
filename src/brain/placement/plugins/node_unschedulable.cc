#include "brain/placement/plugins/node_unschedulable.h"

#include "brain/placement/cycle.h"

namespace loadline::placement {

namespace {

bool tolerates_cordon(Cycle& cycle) {
  SymbolTable& symbols = cycle.cluster().symbols();
  const cluster::CompiledTaint cordon{symbols.intern("node.kubernetes.io/unschedulable"), symbols.intern(""),
                                      kube::TaintEffect::kNoSchedule, std::nullopt};
  return cluster::tolerated(cycle.shape().tolerations, cordon);
}

}  // namespace

Locality NodeUnschedulable::sign(Cycle& cycle, Signature& signature) const {
  signature.add(tolerates_cordon(cycle));
  return Locality::kFacts;
}

RejectionId NodeUnschedulable::filter(Cycle& cycle, cluster::NodeId node) const {
  if (!cycle.cluster().facts(node).unschedulable) return kPassed;
  if (tolerates_cordon(cycle)) return kPassed;
  return cycle.reject(*this, Code::kUnresolvable, ReasonKind::kNodeUnschedulable);
}

std::unique_ptr<Plugin> make_node_unschedulable(const kube::PluginArgs&) {
  return std::make_unique<NodeUnschedulable>();
}

}  // namespace loadline::placement
