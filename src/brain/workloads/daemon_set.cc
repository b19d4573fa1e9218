#include "brain/workloads/daemon_set.h"

#include <memory>
#include <set>

#include "brain/workloads/controller.h"
#include "brain/workloads/daemon_nodes.h"

namespace loadline::workloads {

PodDraft shared_draft(const kube::DaemonSet& set) { return replica_draft(set.metadata.name); }

PodDraft node_draft(std::string_view node) {
  PodDraft draft;
  draft.node = node;
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

void expand(const kube::DaemonSet& daemon_set, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"DaemonSet", daemon_set.metadata.namespace_, daemon_set.metadata.name};
  std::set<std::string> served;
  const auto existing = view.existing.controlled_by("DaemonSet", daemon_set.metadata);
  for (const kube::Pod* const pod : existing) {
    if (!pod->finished()) served.insert(daemon_target(*pod->spec));
  }
  const auto spec = std::make_shared<const kube::PodSpec>(with_daemon_tolerations(*daemon_set.template_.spec));
  DaemonNodes eligible(*spec);
  PodMaker maker(view, workload, "apps/v1", "DaemonSet", daemon_set.metadata, daemon_set.template_, existing);
  maker.prototype().spec = spec;
  maker.share(shared_draft(daemon_set));
  const std::string lost_from = view.lost == nullptr ? "" : daemon_target(*view.lost->spec);
  bool any_eligible = false;
  for (const kube::Node& node : view.objects.of<kube::Node>()) {
    if (!lost_from.empty() && node.metadata.name != lost_from) continue;
    if (!eligible.admits(node)) continue;
    any_eligible = true;
    if (!served.contains(node.metadata.name)) expansion.pods.push_back(maker.make(node_draft(node.metadata.name)));
  }
  if (!any_eligible) expansion.notes.push_back({workload, "no node is eligible for its pods"});
}

}  // namespace loadline::workloads
