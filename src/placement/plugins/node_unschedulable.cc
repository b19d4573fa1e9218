#include "placement/plugins/node_unschedulable.h"

#include "placement/cycle.h"

namespace loadline::placement {

RejectionId NodeUnschedulable::filter(Cycle& cycle, cluster::NodeId node) const {
  if (!cycle.cluster().facts(node).unschedulable) return kPassed;
  SymbolTable& symbols = cycle.cluster().symbols();
  const cluster::CompiledTaint cordon{symbols.intern("node.kubernetes.io/unschedulable"), symbols.intern(""),
                                      kube::TaintEffect::kNoSchedule, std::nullopt};
  if (cluster::tolerated(cycle.shape().tolerations, cordon)) return kPassed;
  return cycle.reject({name(), Code::kUnresolvable, {{ReasonKind::kNodeUnschedulable, ""}}});
}

std::unique_ptr<Plugin> make_node_unschedulable(const kube::PluginArgs&) {
  return std::make_unique<NodeUnschedulable>();
}

}  // namespace loadline::placement
