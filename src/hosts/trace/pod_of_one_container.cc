#include "hosts/trace/pod_of_one_container.h"

#include <utility>

#include "objects/kube/defaults.h"
#include "objects/kube/resource_names.h"

namespace loadline::trace {
namespace {

constexpr std::string_view kTask = "task";

kube::Affinity affinity_to(const std::string& key, const std::vector<std::string>& values) {
  kube::NodeSelectorTerm term;
  term.match_expressions.push_back({key, kube::NodeSelectorOperator::kIn, values});
  kube::Affinity affinity;
  affinity.node.emplace().required.emplace().terms.push_back(std::move(term));
  return affinity;
}

kube::PodSpec spec_of(const PodOfOneContainer& row) {
  kube::PodSpec spec;
  kube::Container& container = spec.containers.emplace_back();
  container.name = kTask;
  container.image = kTask;
  for (const auto& [name, amount] : row.resources) {
    auto& list = kube::is_extended_resource(name) ? container.resources.limits : container.resources.requests;
    list.emplace(name, amount);
  }
  spec.node_selector = row.node_selector;
  if (!row.affinity_values.empty()) spec.affinity = affinity_to(row.affinity_key, row.affinity_values);
  spec.tolerations = row.tolerations;
  spec.priority = row.priority;
  spec.priority_class_name = row.priority_class;
  spec.restart_policy = row.restart_policy;
  spec.termination_grace_period_seconds = kube::kDefaultGracePeriodSeconds;
  return spec;
}

/// Reads affinity_to back; false if it says more.
bool read_affinity(const std::optional<kube::Affinity>& affinity, PodOfOneContainer& row) {
  if (!affinity) return true;
  if (affinity->pod || affinity->pod_anti || !affinity->node || !affinity->node->preferred.empty()) return false;
  const auto& required = affinity->node->required;
  if (!required || required->terms.size() != 1) return false;
  const kube::NodeSelectorTerm& term = required->terms.front();
  if (term.match_expressions.size() != 1 || !term.match_fields.empty()) return false;
  const kube::NodeSelectorRequirement& requirement = term.match_expressions.front();
  if (requirement.op != kube::NodeSelectorOperator::kIn) return false;
  row.affinity_key = requirement.key;
  row.affinity_values = requirement.values;
  return true;
}

bool says_more(const kube::Pod& pod) {
  const kube::PodSpec& spec = *pod.spec;
  return !pod.metadata.labels.empty() || !pod.metadata.annotations.empty() || spec.containers.size() != 1 ||
         !spec.init_containers.empty() || !spec.node_name.empty() || !spec.topology_spread_constraints.empty() ||
         !spec.scheduling_gates.empty() || spec.scheduler_name != kube::PodSpec().scheduler_name ||
         spec.preemption_policy == kube::PreemptionPolicy::kNever || spec.resources || !spec.overhead.empty() ||
         !spec.volumes.empty() || !spec.resource_claims.empty() || !spec.runtime_class_name.empty() ||
         !spec.pod_group_name.empty() || spec.host_network || spec.active_deadline_seconds ||
         spec.termination_grace_period_seconds != kube::kDefaultGracePeriodSeconds;
}

}  // namespace

std::shared_ptr<const kube::Pod> PodsOfOneContainer::pod(const PodOfOneContainer& row, const std::string& tenant) {
  auto& spec = specs_[row];
  if (spec == nullptr) {
    kube::Pod pod;
    pod.spec = std::make_shared<const kube::PodSpec>(spec_of(row));
    kube::set_defaults(pod);
    spec = pod.spec;
  }
  auto& shared = pods_[{spec.get(), tenant}];
  if (shared == nullptr) {
    kube::Pod pod;
    pod.metadata.namespace_ = tenant;
    pod.spec = spec;
    kube::prepare_for_create(pod);
    shared = std::make_shared<const kube::Pod>(std::move(pod));
  }
  return shared;
}

std::optional<PodOfOneContainer> row_of(const kube::Pod& pod) {
  if (says_more(pod)) return std::nullopt;
  const kube::PodSpec& spec = *pod.spec;
  const kube::Container& container = spec.containers.front();
  if (!container.ports.empty() || !container.resources.claims.empty()) return std::nullopt;
  PodOfOneContainer row;
  row.resources = container.resources.requests;
  for (const auto& [name, limit] : container.resources.limits) {
    const auto request = row.resources.find(name);
    if (!kube::is_extended_resource(name) || request == row.resources.end() || request->second != limit) {
      return std::nullopt;
    }
  }
  if (!read_affinity(spec.affinity, row)) return std::nullopt;
  row.node_selector = spec.node_selector;
  row.tolerations = spec.tolerations;
  row.priority = spec.priority;
  row.priority_class = spec.priority_class_name;
  row.restart_policy = spec.restart_policy;
  return row;
}

}  // namespace loadline::trace
