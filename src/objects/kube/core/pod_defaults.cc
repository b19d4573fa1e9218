#include <algorithm>
#include <string_view>
#include <utility>

#include "objects/kube/defaults.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"

namespace loadline::kube {
namespace {

/// A shared spec that is copied when it is first written to, and put back when the edit ends.
class SpecEdit {
 public:
  explicit SpecEdit(std::shared_ptr<const PodSpec>& spec) : spec_(spec) {}
  SpecEdit(const SpecEdit&) = delete;
  SpecEdit& operator=(const SpecEdit&) = delete;
  ~SpecEdit() {
    if (copy_ != nullptr) spec_ = std::move(copy_);
  }

  [[nodiscard]] const PodSpec& read() const { return copy_ != nullptr ? *copy_ : *spec_; }
  PodSpec& write() {
    if (copy_ == nullptr) copy_ = std::make_shared<PodSpec>(*spec_);
    return *copy_;
  }

 private:
  std::shared_ptr<const PodSpec>& spec_;
  std::shared_ptr<PodSpec> copy_;
};

bool needs_rounding(const ResourceList& amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [](const auto& entry) { return !entry.second.is_whole_milli(); });
}

bool needs_rounding(const ResourceRequirements& resources) {
  return needs_rounding(resources.requests) || needs_rounding(resources.limits);
}

bool needs_rounding(const PodSpec& spec) {
  const auto of_container = [](const Container& container) { return needs_rounding(container.resources); };
  return std::any_of(spec.containers.begin(), spec.containers.end(), of_container) ||
         std::any_of(spec.init_containers.begin(), spec.init_containers.end(), of_container) ||
         needs_rounding(spec.overhead) || (spec.resources && needs_rounding(*spec.resources));
}

void round_to_milli(ResourceList& amounts) {
  for (auto& [name, amount] : amounts) amount = amount.rounded_to_milli();
}

void round_to_milli(ResourceRequirements& resources) {
  round_to_milli(resources.limits);
  round_to_milli(resources.requests);
}

void round_to_milli(PodSpec& spec) {
  for (Container& container : spec.init_containers) round_to_milli(container.resources);
  for (Container& container : spec.containers) round_to_milli(container.resources);
  round_to_milli(spec.overhead);
  if (spec.resources) round_to_milli(*spec.resources);
}

bool lacks_requests(const std::vector<Container>& containers) {
  return std::any_of(containers.begin(), containers.end(), [](const Container& container) {
    return std::any_of(container.resources.limits.begin(), container.resources.limits.end(),
                       [&](const auto& limit) { return !container.resources.requests.contains(limit.first); });
  });
}

void request_what_is_limited(std::vector<Container>& containers) {
  for (Container& container : containers) {
    container.resources.requests.insert(container.resources.limits.begin(), container.resources.limits.end());
  }
}

bool lacks_host_ports(const std::vector<Container>& containers) {
  return std::any_of(containers.begin(), containers.end(), [](const Container& container) {
    return std::any_of(container.ports.begin(), container.ports.end(),
                       [](const ContainerPort& port) { return port.host_port == 0 && port.container_port != 0; });
  });
}

void take_container_ports_as_host_ports(std::vector<Container>& containers) {
  for (Container& container : containers) {
    for (ContainerPort& port : container.ports) {
      if (port.host_port == 0) port.host_port = port.container_port;
    }
  }
}

/// Huge pages that containers limit become pod-level limits, unless the pod level speaks of them itself.
ResourceList huge_page_limits_of_containers(const PodSpec& spec) {
  ResourceList found;
  if (spec.resources->limits.empty() && spec.resources->requests.empty()) return found;
  for (const auto& [name, amount] : pod_limits(spec, nullptr, containers_only())) {
    if (!is_huge_page_resource(name) || spec.resources->requests.contains(name)) continue;
    if (!spec.resources->limits.contains(name)) found.emplace(name, amount);
  }
  return found;
}

/// Pod-level requests that are missing: the sum of the containers' for what may be overcommitted, else the limit.
ResourceList missing_pod_level_requests(const PodSpec& spec) {
  ResourceList found;
  if (spec.resources->limits.empty()) return found;
  for (const auto& [name, amount] : pod_requests(spec, nullptr, containers_only())) {
    if (!is_supported_pod_level_resource(name) || is_huge_page_resource(name)) continue;
    if (!spec.resources->requests.contains(name)) found.emplace(name, amount);
  }
  for (const auto& [name, amount] : spec.resources->limits) {
    if (!is_supported_pod_level_resource(name) || spec.resources->requests.contains(name)) continue;
    found.emplace(name, amount);
  }
  return found;
}

void set_pod_level_defaults(SpecEdit& edit) {
  if (!edit.read().resources) return;
  ResourceList limits = huge_page_limits_of_containers(edit.read());
  if (!limits.empty()) edit.write().resources->limits.merge(limits);
  ResourceList requests = missing_pod_level_requests(edit.read());
  if (!requests.empty()) edit.write().resources->requests.merge(requests);
}

void append_label_keys(LabelSelector& selector, const std::vector<std::string>& keys, LabelSelectorOperator op,
                       const StringMap& labels) {
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label != labels.end()) selector.match_expressions.push_back({key, op, {label->second}});
  }
}

void merge_label_keys(PodAffinityTerm& term, const StringMap& labels) {
  if (!term.label_selector) return;
  append_label_keys(*term.label_selector, term.match_label_keys, LabelSelectorOperator::kIn, labels);
  append_label_keys(*term.label_selector, term.mismatch_label_keys, LabelSelectorOperator::kNotIn, labels);
}

void merge_label_keys(std::optional<PodAffinity>& affinity, const StringMap& labels) {
  if (!affinity) return;
  for (WeightedPodAffinityTerm& weighted : affinity->preferred) merge_label_keys(weighted.term, labels);
  for (PodAffinityTerm& term : affinity->required) merge_label_keys(term, labels);
}

bool has_label_keys(const PodAffinityTerm& term) {
  return !term.match_label_keys.empty() || !term.mismatch_label_keys.empty();
}

bool has_label_keys(const std::optional<PodAffinity>& affinity) {
  return affinity &&
         (std::any_of(affinity->required.begin(), affinity->required.end(),
                      [](const PodAffinityTerm& term) { return has_label_keys(term); }) ||
          std::any_of(affinity->preferred.begin(), affinity->preferred.end(),
                      [](const WeightedPodAffinityTerm& weighted) { return has_label_keys(weighted.term); }));
}

bool has_label_keys(const PodSpec& spec) {
  return (spec.affinity && (has_label_keys(spec.affinity->pod) || has_label_keys(spec.affinity->pod_anti))) ||
         std::any_of(spec.topology_spread_constraints.begin(), spec.topology_spread_constraints.end(),
                     [](const TopologySpreadConstraint& constraint) { return !constraint.match_label_keys.empty(); });
}

}  // namespace

void set_defaults(PodTemplateSpec& pod_template) {
  SpecEdit edit(pod_template.spec);
  if (needs_rounding(edit.read())) round_to_milli(edit.write());
}

void set_defaults(Pod& pod) {
  SpecEdit edit(pod.spec);
  // Amounts are rounded last: upstream sums what was written, too.
  if (lacks_requests(edit.read().containers)) request_what_is_limited(edit.write().containers);
  if (lacks_requests(edit.read().init_containers)) request_what_is_limited(edit.write().init_containers);
  set_pod_level_defaults(edit);
  if (edit.read().host_network) {
    if (lacks_host_ports(edit.read().containers)) take_container_ports_as_host_ports(edit.write().containers);
    if (lacks_host_ports(edit.read().init_containers)) take_container_ports_as_host_ports(edit.write().init_containers);
  }
  if (needs_rounding(edit.read())) round_to_milli(edit.write());
}

void prepare_for_create(Pod& pod) {
  SpecEdit edit(pod.spec);
  if (!has_label_keys(edit.read())) return;
  PodSpec& spec = edit.write();
  if (spec.affinity) {
    merge_label_keys(spec.affinity->pod, pod.metadata.labels);
    merge_label_keys(spec.affinity->pod_anti, pod.metadata.labels);
  }
  for (TopologySpreadConstraint& constraint : spec.topology_spread_constraints) {
    if (!constraint.label_selector) continue;
    append_label_keys(*constraint.label_selector, constraint.match_label_keys, LabelSelectorOperator::kIn,
                      pod.metadata.labels);
  }
}

}  // namespace loadline::kube
