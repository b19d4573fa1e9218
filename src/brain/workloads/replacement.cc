#include "brain/workloads/replacement.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "brain/workloads/names.h"
#include "brain/workloads/workload.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/service.h"

namespace loadline::workloads {
namespace {

/// The object of that kind that the reference means, or null.
template <class Kind>
const Kind* find(const std::vector<Kind>& objects, std::string_view namespace_, std::string_view name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Kind& item) {
    return item.metadata.name == name && item.metadata.namespace_ == namespace_;
  });
  return found == objects.end() ? nullptr : &*found;
}

template <class Kind>
bool has_no_replicas(const Kind* item) {
  return item != nullptr && (item->replicas == 0 || item->metadata.deletion_timestamp);
}

/// The Deployment above a pod's ReplicaSet, or null if it was not read.
const kube::Deployment* deployment_of(const kube::Pod& gone, const kube::ReplicaSet* replica_set,
                                      const kube::Objects& objects) {
  const kube::OwnerReference* const above = replica_set == nullptr ? nullptr : replica_set->metadata.controller();
  if (above != nullptr) return find(objects.of<kube::Deployment>(), gone.metadata.namespace_, above->name);
  const WorkloadReference guess = owner_of(gone, kube::Objects());
  return guess.kind == "Deployment" ? find(objects.of<kube::Deployment>(), guess.namespace_, guess.name) : nullptr;
}

/// Whether the owner, if it was read, wants no pods at all.
bool wants_none(const kube::Pod& gone, const kube::OwnerReference& controller, const kube::Objects& objects) {
  const std::string& namespace_ = gone.metadata.namespace_;
  if (controller.kind == "ReplicaSet") {
    const auto* const replica_set = find(objects.of<kube::ReplicaSet>(), namespace_, controller.name);
    return has_no_replicas(replica_set) || has_no_replicas(deployment_of(gone, replica_set, objects));
  }
  if (controller.kind == "ReplicationController") {
    return has_no_replicas(find(objects.of<kube::ReplicationController>(), namespace_, controller.name));
  }
  if (controller.kind == "StatefulSet")
    return has_no_replicas(find(objects.of<kube::StatefulSet>(), namespace_, controller.name));
  if (controller.kind == "DaemonSet") {
    const auto* const daemon_set = find(objects.of<kube::DaemonSet>(), namespace_, controller.name);
    return daemon_set != nullptr && daemon_set->metadata.deletion_timestamp;
  }
  const kube::Job* const job =
      controller.kind == "Job" ? find(objects.of<kube::Job>(), namespace_, controller.name) : nullptr;
  return job != nullptr && (job->spec.suspend || job->metadata.deletion_timestamp);
}

/// What the name was generated from: generateName, or else the name less its last word (and five characters at most).
std::string base_of(const kube::ObjectMeta& metadata) {
  if (!metadata.generate_name.empty()) return metadata.generate_name;
  const std::size_t dash = metadata.name.rfind('-');
  return dash == std::string::npos ? metadata.name + "-" : metadata.name.substr(0, dash + 1);
}

}  // namespace

std::optional<kube::Pod> replace(const kube::Pod& gone, const kube::Objects& objects, std::uint64_t generation,
                                 std::uint64_t seed) {
  const kube::OwnerReference* const controller = gone.metadata.controller();
  if (controller == nullptr || controller->kind == "Node" || wants_none(gone, *controller, objects)) {
    return std::nullopt;
  }
  kube::Pod pod;
  pod.metadata = gone.metadata;
  pod.metadata.uid.clear();
  pod.metadata.creation_timestamp.reset();
  pod.metadata.deletion_timestamp.reset();
  pod.metadata.deletion_grace_period_seconds.reset();
  pod.spec = gone.spec;
  if (!gone.spec->node_name.empty()) {
    auto spec = std::make_shared<kube::PodSpec>(*gone.spec);
    spec->node_name.clear();
    pod.spec = std::move(spec);
  }
  if (controller->kind != "StatefulSet") {
    const WorkloadReference owner{controller->kind, gone.metadata.namespace_, controller->name};
    // Counted from the end, so that no replacement takes a name that expansion gives.
    const std::uint64_t number = kSuffixes - 1 - generation % kSuffixes;
    pod.metadata.generate_name = base_of(gone.metadata);
    pod.metadata.name = Names(seed, owner.to_string()).generate(pod.metadata.generate_name, number);
  }
  return pod;
}

}  // namespace loadline::workloads
