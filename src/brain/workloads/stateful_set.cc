#include "brain/workloads/stateful_set.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "brain/workloads/controller.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {

Ordinals wanted_ordinals(const kube::StatefulSet& set) {
  const std::int64_t first = set.ordinals_start;
  return {first, first + std::max(0, set.replicas)};
}

std::optional<std::int32_t> ordinal_in(std::string_view pod, std::string_view stateful_set) {
  if (pod.size() < stateful_set.size() + 2 || !pod.starts_with(stateful_set) || pod[stateful_set.size()] != '-') {
    return std::nullopt;
  }
  const std::string_view digits = pod.substr(stateful_set.size() + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  std::int32_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc() ? std::optional(ordinal) : std::nullopt;
}

std::string stateful_pod_name(const kube::StatefulSet& set, std::int64_t ordinal) {
  return set.metadata.name + '-' + std::to_string(ordinal);
}

std::string stateful_claim_name(const kube::StatefulSet& set, std::string_view claim_template, std::int64_t ordinal) {
  return std::string(claim_template) + '-' + stateful_pod_name(set, ordinal);
}

PodDraft shared_draft(const kube::StatefulSet& set) {
  PodDraft draft = replica_draft(set.metadata.name);
  draft.subdomain = set.service_name;
  return draft;
}

PodDraft ordinal_draft(const kube::StatefulSet& set, std::int64_t ordinal) {
  PodDraft draft;
  draft.name = stateful_pod_name(set, ordinal);
  draft.labels = {{kube::kStatefulSetPodName, draft.name}, {kube::kPodIndex, std::to_string(ordinal)}};
  draft.hostname = draft.name;
  for (const auto& claim : set.volume_claim_templates) {
    const std::string& name = claim.metadata.name;
    draft.volumes.push_back({name, stateful_claim_name(set, name, ordinal)});
  }
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

kube::PersistentVolumeClaim claim_for(const kube::StatefulSet& set,
                                      const kube::PersistentVolumeClaimTemplate& claim_template, std::int64_t ordinal) {
  kube::PersistentVolumeClaim claim;
  claim.metadata.name = stateful_claim_name(set, claim_template.metadata.name, ordinal);
  claim.metadata.namespace_ = set.metadata.namespace_;
  claim.metadata.labels = claim_template.metadata.labels;
  claim.metadata.annotations = claim_template.metadata.annotations;
  claim.metadata.source = set.metadata.source;
  if (set.selector) {
    for (const auto& [key, value] : set.selector->match_labels) claim.metadata.labels[key] = value;
  }
  claim.spec = claim_template.spec;
  claim.phase = "Pending";
  return claim;
}

}  // namespace

std::string_view revision_of(const kube::Pod& pod) {
  const auto found = pod.metadata.labels.find(kube::kControllerRevisionHash);
  return found == pod.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// Whether the pod that follows the lost one of that ordinal is of the current revision, and not of the template.
/// Source: newVersionedStatefulSetPod in pkg/controller/statefulset, v1.36.
bool keeps_revision(const kube::StatefulSet& set, std::int64_t ordinal, const kube::Pod& lost) {
  const kube::StatefulSetStatus& status = set.status;
  const bool rolls_out = set.update_strategy != "OnDelete" && status.current_revision != status.update_revision;
  if (!rolls_out || revision_of(lost) != status.current_revision) return false;
  if (lost.metadata.name != stateful_pod_name(set, ordinal)) return false;
  return ordinal < std::int64_t{set.ordinals_start} + set.partition.value_or(status.current_replicas);
}

/// The revision itself was not read; the lost pod was made of it.
void keep_revision(const kube::Pod& lost, kube::Pod& next) {
  next.metadata.labels = lost.metadata.labels;
  next.metadata.annotations = lost.metadata.annotations;
  auto spec = std::make_shared<kube::PodSpec>(*lost.spec);
  spec->node_name.clear();
  next.spec = std::move(spec);
}

/// Pods are created as if each became ready at once: podManagementPolicy OrderedReady makes no difference here.
void expand_stateful_set(const kube::StatefulSet& set, const WorkloadReference& workload, const View& view,
                         Expansion& expansion) {
  std::set<std::string_view> taken;
  for (const kube::Pod* const pod : view.existing.controlled_by("StatefulSet", set.metadata)) {
    if (!pod->finished()) taken.insert(pod->metadata.name);
  }
  PodMaker maker(view, workload, "apps/v1", "StatefulSet", set.metadata, set.template_, {});
  maker.share(shared_draft(set));
  const Ordinals wanted = wanted_ordinals(set);
  for (std::int64_t ordinal = wanted.first; ordinal < wanted.end; ++ordinal) {
    if (taken.contains(stateful_pod_name(set, ordinal))) continue;
    CreatedPod& created = expansion.pods.emplace_back(maker.make(ordinal_draft(set, ordinal)));
    if (view.lost != nullptr && keeps_revision(set, ordinal, *view.lost)) keep_revision(*view.lost, created.pod);
    for (const auto& claim_template : set.volume_claim_templates) {
      expansion.claims.push_back(claim_for(set, claim_template, ordinal));
    }
  }
}

/// One that another workload makes has its pods in that one's turn.
void expand(const kube::StatefulSet& set, const View& view, Expansion& expansion) {
  const WorkloadReference own{"StatefulSet", set.metadata.namespace_, set.metadata.name};
  const WorkloadReference top = view.owners.top_of(own);
  if (top == own || !view.owners.knows(top)) expand_stateful_set(set, top, view, expansion);
}

}  // namespace loadline::workloads
