#include "brain/workloads/pod_draft.h"

#include <algorithm>
#include <memory>

#include "objects/kube/core/container_schema.h"
#include "objects/kube/scalars.h"
#include "objects/kube/view.h"

namespace loadline::workloads {
namespace {

/// The claims' volumes, and the others.
std::vector<kube::Volume> with_claims(const std::vector<PodDraft::ClaimVolume>& claims,
                                      std::vector<kube::Volume> others) {
  std::vector<kube::Volume> volumes;
  for (const PodDraft::ClaimVolume& claim : claims) {
    kube::Volume& volume = volumes.emplace_back();
    volume.name = claim.volume;
    volume.persistent_volume_claim = {claim.claim, false};
    std::erase_if(others, [&](const kube::Volume& other) { return other.name == claim.volume; });
  }
  std::move(others.begin(), others.end(), std::back_inserter(volumes));
  return volumes;
}

/// Required node affinity is replaced: the controller has judged it already.
void pin(kube::PodSpec& spec, const std::string& node) {
  if (!spec.affinity) spec.affinity.emplace();
  if (!spec.affinity->node) spec.affinity->node.emplace();
  kube::NodeSelectorTerm term;
  term.match_fields.push_back({std::string(kNodeNameField), kube::NodeSelectorOperator::kIn, {node}});
  spec.affinity->node->required = kube::NodeSelector{{std::move(term)}};
}

void require(const std::vector<kube::PodAffinityTerm>& near, const std::vector<kube::PodAffinityTerm>& away_from,
             kube::PodSpec& spec) {
  const auto add = [](const std::vector<kube::PodAffinityTerm>& terms, std::optional<kube::PodAffinity>& to) {
    if (terms.empty()) return;
    if (!to) to.emplace();
    to->required.insert(to->required.end(), terms.begin(), terms.end());
  };
  if (near.empty() && away_from.empty()) return;
  if (!spec.affinity) spec.affinity.emplace();
  add(near, spec.affinity->pod);
  add(away_from, spec.affinity->pod_anti);
}

void append(const std::vector<document::Value>& documents, std::vector<kube::Container>& containers) {
  for (const document::Value& each : documents) {
    containers.push_back(kube::view<kube::Container>(each, kube::kContainerSchema).object);
  }
}

/// Whether the pods need a spec of their own: what no decision reads is no reason.
bool changes_spec(const PodDraft& draft) {
  return !draft.volumes.empty() || !draft.node.empty() || !draft.init_containers.empty() || !draft.containers.empty() ||
         !draft.pod_group.empty() || !draft.node_selector.empty() || !draft.tolerations.empty() ||
         !draft.near.empty() || !draft.away_from.empty();
}

std::shared_ptr<const kube::PodSpec> spec_with(const PodDraft& draft, const kube::PodSpec& common) {
  auto spec = std::make_shared<kube::PodSpec>(common);
  if (!draft.hostname.empty()) spec->hostname = draft.hostname;
  if (!draft.volumes.empty()) spec->volumes = with_claims(draft.volumes, std::move(spec->volumes));
  if (!draft.node.empty()) pin(*spec, draft.node);
  if (!draft.pod_group.empty()) spec->pod_group_name = draft.pod_group;
  for (const auto& [key, value] : draft.node_selector) spec->node_selector.insert_or_assign(key, value);
  spec->tolerations.insert(spec->tolerations.end(), draft.tolerations.begin(), draft.tolerations.end());
  require(draft.near, draft.away_from, *spec);
  append(draft.init_containers, spec->init_containers);
  append(draft.containers, spec->containers);
  return spec;
}

}  // namespace

PodDraft replica_draft(std::string_view controller_name) {
  PodDraft draft;
  draft.generate_name = controller_name;
  if (controller_name.size() < kube::kMaxSubdomain) draft.generate_name += '-';  // else no name could begin like that
  return draft;
}

kube::PodAffinityTerm domain_of_pods(std::string topology_key, std::vector<kube::LabelSelectorRequirement> labels) {
  kube::PodAffinityTerm term;
  term.topology_key = std::move(topology_key);
  term.label_selector.emplace().match_expressions = std::move(labels);
  return term;
}

void apply(const ObjectDraft& draft, kube::ObjectMeta& metadata) {
  for (const auto& [name, value] : draft.labels) metadata.labels.insert_or_assign(std::string(name), value);
  for (const auto& [name, value] : draft.annotations) metadata.annotations.insert_or_assign(std::string(name), value);
  auto& finalizers = metadata.finalizers;
  for (const std::string_view finalizer : draft.finalizers) {
    if (std::find(finalizers.begin(), finalizers.end(), finalizer) == finalizers.end()) {
      finalizers.emplace_back(finalizer);
    }
  }
}

void apply(const PodDraft& draft, kube::Pod& pod) {
  apply(draft, pod.metadata);
  if (changes_spec(draft)) pod.spec = spec_with(draft, *pod.spec);
}

void apply(const PodDraft& draft, kube::PodTemplateSpec& pod_template) {
  apply(draft, pod_template.metadata);
  if (changes_spec(draft)) pod_template.spec = spec_with(draft, *pod_template.spec);
}

}  // namespace loadline::workloads
