#include "cluster/belonging.h"

#include <algorithm>

namespace loadline::cluster {

DisruptionBudget compile_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed, SymbolTable& symbols) {
  DisruptionBudget compiled;
  compiled.name_space = symbols.intern(budget.metadata.namespace_);
  compiled.selector = PodSelector::of(budget.selector, symbols);
  compiled.allowed = allowed;
  for (const auto& [pod, at] : budget.disrupted_pods) compiled.disrupted_pods.push_back(symbols.intern(pod));
  std::sort(compiled.disrupted_pods.begin(), compiled.disrupted_pods.end());
  return compiled;
}

void Belonging::add_service(const kube::Service& service) {
  if (service.selector.empty()) return;
  services_[symbols_->intern(service.metadata.namespace_)].push_back(
      PodSelector::of_labels(service.selector, *symbols_));
}

void Belonging::add_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector) {
  controllers_[{std::string(kind), symbols_->intern(metadata.namespace_), metadata.name}] = selector;
}

PodSelector Belonging::selector_of(const PodShape& shape) const {
  PodSelector selector = PodSelector::everything();
  if (const auto found = services_.find(shape.name_space); found != services_.end()) {
    for (const PodSelector& service : found->second) {
      if (service.matches(shape.labels, *symbols_)) selector.add(service);
    }
  }
  if (!shape.controller) return selector;
  const kube::OwnerReference& owner = *shape.controller;
  const std::string_view version = owner.kind == "ReplicationController" ? "v1" : "apps/v1";
  const auto found = controllers_.find({owner.kind, shape.name_space, owner.name});
  if (owner.api_version != version || found == controllers_.end() || found->second.nothing()) return selector;
  selector.add(found->second);
  return selector;
}

}  // namespace loadline::cluster
