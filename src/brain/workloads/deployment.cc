#include "brain/workloads/deployment.h"

#include <algorithm>
#include <charconv>

#include "brain/workloads/controller.h"
#include "brain/workloads/template_hash.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {

std::string replica_set_name(std::string_view deployment, std::string_view hash) {
  const std::size_t room = kube::kMaxSubdomain - 1 - hash.size();
  return std::string(deployment.substr(0, room)) + '-' + std::string(hash);
}

kube::ReplicaSet replica_set_of(const kube::Deployment& deployment, std::string name, std::string_view hash) {
  const kube::ObjectMeta& owner = deployment.metadata;
  kube::ReplicaSet set;
  set.metadata.name = std::move(name);
  set.metadata.namespace_ = owner.namespace_;
  set.metadata.owner_references = {{"apps/v1", "Deployment", owner.name, owner.uid, true}};
  set.metadata.source = owner.source;
  set.replicas = deployment.replicas;
  set.selector = deployment.selector;
  set.template_ = deployment.template_;
  if (hash.empty()) return set;
  const std::string label(kube::kPodTemplateHash);
  set.template_.metadata.labels.insert_or_assign(label, hash);
  if (set.selector) set.selector->match_labels.insert_or_assign(label, hash);
  return set;
}

std::int64_t revision_of(const kube::StringMap& annotations) {
  const auto found = annotations.find(kube::kDeploymentRevision);
  if (found == annotations.end()) return 0;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

bool controls(const kube::Deployment& deployment, const kube::ReplicaSet& replica_set) {
  const kube::OwnerReference* const reference = replica_set.metadata.controller();
  return reference != nullptr && reference->kind == "Deployment" && reference->name == deployment.metadata.name &&
         replica_set.metadata.namespace_ == deployment.metadata.namespace_ &&
         (reference->uid.empty() || deployment.metadata.uid.empty() || reference->uid == deployment.metadata.uid);
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

/// The ReplicaSet of the newest revision, or null.
const kube::ReplicaSet* newest_replica_set(const kube::Deployment& deployment, const kube::Objects& objects) {
  const kube::ReplicaSet* newest = nullptr;
  for (const kube::ReplicaSet& candidate : objects.of<kube::ReplicaSet>()) {
    if (!controls(deployment, candidate)) continue;
    const bool is_newer =
        newest == nullptr || revision_of(candidate.metadata.annotations) > revision_of(newest->metadata.annotations);
    if (is_newer) newest = &candidate;
  }
  return newest;
}

/// The ReplicaSet of the Deployment that lost the pod, or null if it was not read.
const kube::ReplicaSet* losing_replica_set(const kube::Deployment& deployment, const View& view) {
  const auto& sets = view.objects.of<kube::ReplicaSet>();
  const auto found = std::ranges::find_if(sets, [&](const kube::ReplicaSet& candidate) {
    return view.asks_for("ReplicaSet", candidate.metadata.name) && controls(deployment, candidate);
  });
  return found == sets.end() ? nullptr : &*found;
}

/// Whether several of its ReplicaSets want pods, so that each has as many as it says itself.
bool is_rolling_out(const kube::Deployment& deployment, const kube::Objects& objects) {
  return std::ranges::count_if(objects.of<kube::ReplicaSet>(), [&](const kube::ReplicaSet& set) {
           return set.replicas > 0 && controls(deployment, set);
         }) > 1;
}

/// A pod of a ReplicaSet that was not read, or null.
const kube::Pod* witness_among(std::span<const kube::Pod* const> existing, const kube::Pod* lost) {
  const auto is_of_one = [](const kube::Pod& pod) { return pod.metadata.controller()->kind == "ReplicaSet"; };
  if (lost != nullptr && is_of_one(*lost)) return lost;
  const auto found =
      std::ranges::find_if(existing, [&](const kube::Pod* pod) { return is_active(*pod) && is_of_one(*pod); });
  return found == existing.end() ? nullptr : *found;
}

/// The ReplicaSet that a pod names, or else the one that would be created.
kube::ReplicaSet unread_replica_set(const kube::Deployment& deployment, const kube::Pod* witness) {
  if (witness == nullptr) {
    const std::string hash = template_hash(deployment.metadata, deployment.template_);
    return replica_set_of(deployment, replica_set_name(deployment.metadata.name, hash), hash);
  }
  const kube::ObjectMeta& pod = witness->metadata;
  const auto label = pod.labels.find(kube::kPodTemplateHash);
  kube::ReplicaSet set =
      replica_set_of(deployment, pod.controller()->name, label == pod.labels.end() ? "" : label->second);
  set.metadata.uid = pod.controller()->uid;
  return set;
}

}  // namespace

/// Pods of every ReplicaSet of the Deployment count, those of older revisions too: a rollout under way is taken as it
/// stands, and the newest ReplicaSet gets what is missing. A lost pod is the business of its own ReplicaSet.
void expand(const kube::Deployment& deployment, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"Deployment", deployment.metadata.namespace_, deployment.metadata.name};
  const bool has_lost = view.lost != nullptr;
  const auto* const read =
      has_lost ? losing_replica_set(deployment, view) : newest_replica_set(deployment, view.objects);
  if (has_lost && read != nullptr && is_rolling_out(deployment, view.objects)) {
    return expand_replica_set(*read, workload, view, expansion);
  }
  const auto existing = view.existing.belonging_to(workload);
  const std::int64_t missing = deployment.replicas - active_among(existing);
  if (missing <= 0) return;
  kube::ReplicaSet newest =
      read != nullptr ? *read : unread_replica_set(deployment, witness_among(existing, view.lost));
  const auto its_pods = view.existing.controlled_by("ReplicaSet", newest.metadata);
  newest.replicas = static_cast<std::int32_t>(active_among(its_pods) + missing);
  expand_replica_set(newest, workload, view, expansion);
  // What it selects cannot be told without the hash.
  const bool is_labelled = newest.template_.metadata.labels.contains(kube::kPodTemplateHash);
  if (read == nullptr && is_labelled) expansion.made.of<kube::ReplicaSet>().push_back(std::move(newest));
}

}  // namespace loadline::workloads
