#include "brain/workloads/template_weight.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loadline::workloads {
namespace {

constexpr std::int64_t kUsualBytes = 4096;
constexpr std::int64_t kEntryBytes = 48;  // of a map, beside what it holds

std::int64_t bytes_in(const std::string& text);
std::int64_t bytes_in(const kube::NodeSelectorRequirement& requirement);
std::int64_t bytes_in(const kube::NodeSelectorTerm& term);
std::int64_t bytes_in(const kube::PreferredSchedulingTerm& term);
std::int64_t bytes_in(const kube::LabelSelectorRequirement& requirement);
std::int64_t bytes_in(const kube::LabelSelector& selector);
std::int64_t bytes_in(const kube::PodAffinityTerm& term);
std::int64_t bytes_in(const kube::WeightedPodAffinityTerm& term);
std::int64_t bytes_in(const kube::PodAffinity& affinity);
std::int64_t bytes_in(const kube::NodeAffinity& affinity);
std::int64_t bytes_in(const kube::Toleration& toleration);
std::int64_t bytes_in(const kube::TopologySpreadConstraint& constraint);
std::int64_t bytes_in(const kube::Container& container);

std::int64_t bytes_in(const kube::StringMap& texts) {
  std::int64_t bytes = 0;
  for (const auto& [name, text] : texts) bytes += kEntryBytes + bytes_in(name) + bytes_in(text);
  return bytes;
}

std::int64_t bytes_in(const kube::ResourceList& amounts) {
  constexpr std::int64_t kAmountBytes = 64;
  std::int64_t bytes = 0;
  for (const auto& [name, amount] : amounts) bytes += kEntryBytes + bytes_in(name) + kAmountBytes;
  return bytes;
}

template <class Item>
std::int64_t bytes_in(const std::optional<Item>& item) {
  return item ? bytes_in(*item) : 0;
}

template <class Item>
std::int64_t bytes_in(const std::vector<Item>& items) {
  std::int64_t bytes = 0;
  for (const Item& each : items) bytes += bytes_in(each);
  return bytes;
}

std::int64_t bytes_in(const std::string& text) {
  const auto outside = text.size() > 15 ? text.size() : 0;  // shorter ones lie in the string itself
  return static_cast<std::int64_t>(sizeof text + outside);
}

std::int64_t bytes_in(const kube::NodeSelectorRequirement& requirement) {
  return static_cast<std::int64_t>(sizeof requirement) + bytes_in(requirement.values);
}

std::int64_t bytes_in(const kube::NodeSelectorTerm& term) {
  return static_cast<std::int64_t>(sizeof term) + bytes_in(term.match_expressions) + bytes_in(term.match_fields);
}

std::int64_t bytes_in(const kube::PreferredSchedulingTerm& term) { return bytes_in(term.preference); }

std::int64_t bytes_in(const kube::LabelSelectorRequirement& requirement) {
  return static_cast<std::int64_t>(sizeof requirement) + bytes_in(requirement.values);
}

std::int64_t bytes_in(const kube::LabelSelector& selector) {
  return bytes_in(selector.match_labels) + bytes_in(selector.match_expressions);
}

std::int64_t bytes_in(const kube::PodAffinityTerm& term) {
  return static_cast<std::int64_t>(sizeof term) + bytes_in(term.label_selector) + bytes_in(term.namespaces) +
         bytes_in(term.namespace_selector) + bytes_in(term.match_label_keys) + bytes_in(term.mismatch_label_keys);
}

std::int64_t bytes_in(const kube::WeightedPodAffinityTerm& term) { return bytes_in(term.term); }

std::int64_t bytes_in(const kube::PodAffinity& affinity) {
  return bytes_in(affinity.required) + bytes_in(affinity.preferred);
}

std::int64_t bytes_in(const kube::NodeAffinity& affinity) {
  return (affinity.required ? bytes_in(affinity.required->terms) : 0) + bytes_in(affinity.preferred);
}

std::int64_t bytes_in(const kube::Toleration& toleration) {
  return static_cast<std::int64_t>(sizeof toleration) + bytes_in(toleration.key) + bytes_in(toleration.value);
}

std::int64_t bytes_in(const kube::TopologySpreadConstraint& constraint) {
  return static_cast<std::int64_t>(sizeof constraint) + bytes_in(constraint.label_selector) +
         bytes_in(constraint.match_label_keys);
}

std::int64_t bytes_in(const kube::Container& container) {
  return static_cast<std::int64_t>(sizeof container + sizeof(kube::ContainerPort) * container.ports.size()) +
         bytes_in(container.resources.requests) + bytes_in(container.resources.limits);
}

std::int64_t bytes_in(const kube::PodSpec& spec) {
  std::int64_t bytes = bytes_in(spec.node_selector) + bytes_in(spec.tolerations) +
                       bytes_in(spec.topology_spread_constraints) + bytes_in(spec.init_containers) +
                       bytes_in(spec.containers);
  if (spec.affinity) {
    bytes += bytes_in(spec.affinity->node) + bytes_in(spec.affinity->pod) + bytes_in(spec.affinity->pod_anti);
  }
  return bytes + static_cast<std::int64_t>(sizeof(kube::Volume) * spec.volumes.size());
}

}  // namespace

std::int64_t weight_of(const kube::PodTemplateSpec& pod_template, PodSpecs specs) {
  std::int64_t bytes = bytes_in(pod_template.metadata.labels) + bytes_in(pod_template.metadata.annotations);
  if (specs == PodSpecs::kOwn && pod_template.spec != nullptr) bytes += bytes_in(*pod_template.spec);
  return 1 + bytes / kUsualBytes;
}

}  // namespace loadline::workloads
