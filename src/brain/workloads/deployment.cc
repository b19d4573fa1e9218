#include <algorithm>
#include <charconv>

#include "brain/workloads/controller.h"
#include "brain/workloads/template_hash.h"
#include "brain/workloads/workload.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";

/// The ReplicaSet that a Deployment's pods are created through.
struct Channel {
  kube::ObjectMeta replica_set;
  kube::PodTemplateSpec pod_template;
};

std::int64_t revision(const kube::ReplicaSet& replica_set) {
  const auto found = replica_set.metadata.annotations.find(kRevision);
  std::int64_t number = 0;
  if (found != replica_set.metadata.annotations.end()) {
    const std::string& text = found->second;
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

bool controls(const kube::Deployment& deployment, const kube::ReplicaSet& replica_set) {
  const kube::OwnerReference* const reference = replica_set.metadata.controller();
  return reference != nullptr && reference->kind == "Deployment" && reference->name == deployment.metadata.name &&
         replica_set.metadata.namespace_ == deployment.metadata.namespace_ &&
         (reference->uid.empty() || deployment.metadata.uid.empty() || reference->uid == deployment.metadata.uid);
}

/// The ReplicaSet of the newest revision, or null.
const kube::ReplicaSet* newest_replica_set(const kube::Deployment& deployment, const kube::Objects& objects) {
  const kube::ReplicaSet* newest = nullptr;
  for (const kube::ReplicaSet& candidate : objects.of<kube::ReplicaSet>()) {
    if (!controls(deployment, candidate)) continue;
    if (newest == nullptr || revision(candidate) > revision(*newest)) newest = &candidate;
  }
  return newest;
}

/// An existing ReplicaSet if one is known, from the objects or from the pods that name it; else the one that would be
/// created.
Channel channel_of(const kube::Deployment& deployment, std::span<const kube::Pod* const> existing, const View& view) {
  if (const auto* const replica_set = newest_replica_set(deployment, view.objects)) {
    return {replica_set->metadata, replica_set->template_};
  }
  Channel channel{{}, deployment.template_};
  channel.replica_set.namespace_ = deployment.metadata.namespace_;
  channel.replica_set.source = deployment.metadata.source;
  const auto witness = std::find_if(existing.begin(), existing.end(), [](const kube::Pod* pod) {
    return is_active(*pod) && pod->metadata.controller()->kind == "ReplicaSet";
  });
  std::string hash;
  if (witness != existing.end()) {
    const kube::ObjectMeta& pod = (*witness)->metadata;
    channel.replica_set.name = pod.controller()->name;
    channel.replica_set.uid = pod.controller()->uid;
    const auto label = pod.labels.find(kTemplateHash);
    if (label != pod.labels.end()) hash = label->second;
  } else {
    hash = template_hash(deployment.metadata, deployment.template_);
    channel.replica_set.name = deployment.metadata.name + "-" + hash;
  }
  if (!hash.empty()) channel.pod_template.metadata.labels.insert_or_assign(std::string(kTemplateHash), hash);
  return channel;
}

bool deployment_is_known(const kube::ReplicaSet& replica_set, const kube::Objects& objects) {
  return replica_set.metadata.controller() != nullptr &&
         std::any_of(objects.of<kube::Deployment>().begin(), objects.of<kube::Deployment>().end(),
                     [&](const kube::Deployment& deployment) { return controls(deployment, replica_set); });
}

}  // namespace

/// Pods of every ReplicaSet of the Deployment count, those of older revisions too: a rollout under way is taken as it
/// stands.
void expand(const kube::Deployment& deployment, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"Deployment", deployment.metadata.namespace_, deployment.metadata.name};
  const auto existing = view.existing.belonging_to(workload);
  const auto active =
      std::count_if(existing.begin(), existing.end(), [](const kube::Pod* pod) { return is_active(*pod); });
  if (active >= deployment.replicas) return;
  const Channel channel = channel_of(deployment, existing, view);
  PodMaker maker(view, workload, "apps/v1", "ReplicaSet", channel.replica_set, channel.pod_template, existing);
  maker.share(replica_draft(channel.replica_set.name));
  create_replicas(maker, deployment.replicas - active, expansion);
}

void expand(const kube::ReplicaSet& replica_set, const View& view, Expansion& expansion) {
  if (deployment_is_known(replica_set, view.objects)) return;  // the Deployment's business
  const auto existing = view.existing.controlled_by("ReplicaSet", replica_set.metadata);
  const auto active =
      std::count_if(existing.begin(), existing.end(), [](const kube::Pod* pod) { return is_active(*pod); });
  const kube::OwnerReference* const controller = replica_set.metadata.controller();
  WorkloadReference workload{"ReplicaSet", replica_set.metadata.namespace_, replica_set.metadata.name};
  if (controller != nullptr) workload = {controller->kind, replica_set.metadata.namespace_, controller->name};
  PodMaker maker(view, workload, "apps/v1", "ReplicaSet", replica_set.metadata, replica_set.template_, existing);
  maker.share(replica_draft(replica_set.metadata.name));
  create_replicas(maker, replica_set.replicas - active, expansion);
}

void expand(const kube::ReplicationController& controller, const View& view, Expansion& expansion) {
  const auto existing = view.existing.controlled_by("ReplicationController", controller.metadata);
  const auto active =
      std::count_if(existing.begin(), existing.end(), [](const kube::Pod* pod) { return is_active(*pod); });
  PodMaker maker(view, {"ReplicationController", controller.metadata.namespace_, controller.metadata.name}, "v1",
                 "ReplicationController", controller.metadata, controller.template_, existing);
  maker.share(replica_draft(controller.metadata.name));
  create_replicas(maker, controller.replicas - active, expansion);
}

}  // namespace loadline::workloads
