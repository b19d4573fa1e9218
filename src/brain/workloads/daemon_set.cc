#include <set>

#include "brain/workloads/controller.h"
#include "brain/workloads/daemon_nodes.h"

namespace loadline::workloads {
namespace {

/// Required node affinity is replaced: the controller has judged it already.
std::shared_ptr<const kube::PodSpec> for_node(const kube::PodSpec& common, const std::string& node) {
  auto spec = std::make_shared<kube::PodSpec>(common);
  if (!spec->affinity) spec->affinity.emplace();
  if (!spec->affinity->node) spec->affinity->node.emplace();
  kube::NodeSelectorTerm term;
  term.match_fields.push_back({std::string(kNodeNameField), kube::NodeSelectorOperator::kIn, {node}});
  spec->affinity->node->required = kube::NodeSelector{{std::move(term)}};
  return spec;
}

}  // namespace

void expand(const kube::DaemonSet& daemon_set, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"DaemonSet", daemon_set.metadata.namespace_, daemon_set.metadata.name};
  std::set<std::string> served;
  const auto existing = view.existing.controlled_by("DaemonSet", daemon_set.metadata);
  for (const kube::Pod* const pod : existing) {
    if (!pod->finished()) served.insert(daemon_target(*pod->spec));
  }
  const kube::PodSpec spec = with_daemon_tolerations(*daemon_set.template_.spec);
  DaemonNodes eligible(spec);
  PodMaker maker(view, workload, "apps/v1", "DaemonSet", daemon_set.metadata, daemon_set.template_, existing);
  maker.share(replica_draft(daemon_set.metadata.name));
  bool any_eligible = false;
  for (const kube::Node& node : view.objects.of<kube::Node>()) {
    if (!eligible.admits(node)) continue;
    any_eligible = true;
    if (served.contains(node.metadata.name)) continue;
    CreatedPod created = maker.make();
    created.pod.spec = for_node(spec, node.metadata.name);
    expansion.pods.push_back(std::move(created));
  }
  if (!any_eligible) expansion.notes.push_back({workload, "no node is eligible for its pods"});
}

}  // namespace loadline::workloads
