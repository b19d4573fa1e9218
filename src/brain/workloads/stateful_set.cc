#include <algorithm>
#include <set>

#include "brain/workloads/controller.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kPodName = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";

/// The claim of one template for one pod: `<template>-<pod>`.
kube::PersistentVolumeClaim claim_for(const kube::StatefulSet& stateful_set,
                                      const kube::PersistentVolumeClaimTemplate& claim_template,
                                      const std::string& pod_name) {
  kube::PersistentVolumeClaim claim;
  claim.metadata.name = claim_template.metadata.name + "-" + pod_name;
  claim.metadata.namespace_ = stateful_set.metadata.namespace_;
  claim.metadata.labels = claim_template.metadata.labels;
  claim.metadata.annotations = claim_template.metadata.annotations;
  claim.metadata.source = stateful_set.metadata.source;
  if (stateful_set.selector) {
    for (const auto& [key, value] : stateful_set.selector->match_labels) claim.metadata.labels[key] = value;
  }
  claim.spec = claim_template.spec;
  claim.phase = "Pending";
  return claim;
}

/// The template's spec with a volume for each claim, in place of volumes of the same name.
std::shared_ptr<const kube::PodSpec> with_claims(const kube::StatefulSet& stateful_set, const std::string& pod_name) {
  const kube::PodSpec& common = *stateful_set.template_.spec;
  auto spec = std::make_shared<kube::PodSpec>(common);
  spec->hostname = pod_name;
  spec->volumes.clear();
  std::set<std::string_view> claimed;
  for (const auto& claim_template : stateful_set.volume_claim_templates) {
    kube::Volume volume;
    volume.name = claim_template.metadata.name;
    volume.persistent_volume_claim = {claim_template.metadata.name + "-" + pod_name, false};
    spec->volumes.push_back(std::move(volume));
    claimed.insert(claim_template.metadata.name);
  }
  std::copy_if(common.volumes.begin(), common.volumes.end(), std::back_inserter(spec->volumes),
               [&](const kube::Volume& volume) { return !claimed.contains(volume.name); });
  return spec;
}

}  // namespace

/// A pod that finished is replaced under its name; one that is still being deleted holds its name, so its ordinal
/// waits. Pods are created as if each became ready at once: podManagementPolicy OrderedReady makes no difference here.
void expand(const kube::StatefulSet& stateful_set, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"StatefulSet", stateful_set.metadata.namespace_, stateful_set.metadata.name};
  std::set<std::string_view> taken;
  for (const kube::Pod* const pod : view.existing.controlled_by("StatefulSet", stateful_set.metadata)) {
    if (!pod->finished()) taken.insert(pod->metadata.name);
  }
  PodMaker maker(view, workload, "apps/v1", "StatefulSet", stateful_set.metadata, stateful_set.template_, {});
  for (std::int64_t i = 0; i < stateful_set.replicas; ++i) {
    const std::string ordinal = std::to_string(stateful_set.ordinals_start + i);
    const std::string name = stateful_set.metadata.name + "-" + ordinal;
    if (taken.contains(name)) continue;
    PodDraft draft;
    draft.name = name;
    CreatedPod created = maker.make(draft);
    created.pod.metadata.labels.insert_or_assign(std::string(kPodName), name);
    created.pod.metadata.labels.insert_or_assign(std::string(kPodIndex), ordinal);
    if (!stateful_set.volume_claim_templates.empty()) created.pod.spec = with_claims(stateful_set, name);
    for (const auto& claim_template : stateful_set.volume_claim_templates) {
      expansion.claims.push_back(claim_for(stateful_set, claim_template, name));
    }
    expansion.pods.push_back(std::move(created));
  }
}

}  // namespace loadline::workloads
