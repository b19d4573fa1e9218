#include "brain/workloads/replica_set.h"

#include <algorithm>

#include "brain/workloads/controller.h"
#include "brain/workloads/deployment.h"

namespace loadline::workloads {

PodDraft shared_draft(const kube::ReplicaSet& set) { return replica_draft(set.metadata.name); }

PodDraft shared_draft(const kube::ReplicationController& controller) { return replica_draft(controller.metadata.name); }

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

bool is_a_known_deployments(const kube::ReplicaSet& set, const kube::Objects& objects) {
  const auto& deployments = objects.of<kube::Deployment>();
  return set.metadata.controller() != nullptr &&
         std::any_of(deployments.begin(), deployments.end(),
                     [&](const kube::Deployment& deployment) { return controls(deployment, set); });
}

template <class Kind>
void expand_replicas(std::string_view api_version, std::string_view kind, const Kind& controller,
                     const WorkloadReference& workload, const View& view, Expansion& expansion) {
  const auto existing = view.existing.controlled_by(kind, controller.metadata);
  const std::int64_t count = controller.replicas - active_among(existing);
  if (count <= 0) return;
  PodMaker maker(view, workload, api_version, kind, controller.metadata, controller.template_, existing);
  maker.share(shared_draft(controller));
  create_replicas(maker, count, expansion);
}

}  // namespace

void expand_replica_set(const kube::ReplicaSet& set, const WorkloadReference& workload, const View& view,
                        Expansion& expansion) {
  expand_replicas("apps/v1", "ReplicaSet", set, workload, view, expansion);
}

void expand(const kube::ReplicaSet& set, const View& view, Expansion& expansion) {
  if (is_a_known_deployments(set, view.objects)) return;  // the Deployment's business
  WorkloadReference workload{"ReplicaSet", set.metadata.namespace_, set.metadata.name};
  if (const auto* const owner = set.metadata.controller()) workload = {owner->kind, workload.namespace_, owner->name};
  expand_replica_set(set, workload, view, expansion);
}

void expand(const kube::ReplicationController& controller, const View& view, Expansion& expansion) {
  const kube::ObjectMeta& metadata = controller.metadata;
  expand_replicas("v1", "ReplicationController", controller,
                  {"ReplicationController", metadata.namespace_, metadata.name}, view, expansion);
}

}  // namespace loadline::workloads
