#include "brain/cluster/belonging.h"

#include <algorithm>

namespace loadline::cluster {

DisruptionBudget compile_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed, SymbolTable& symbols) {
  DisruptionBudget compiled;
  compiled.name_space = symbols.intern(budget.metadata.namespace_);
  compiled.name = budget.metadata.name;
  compiled.selector = PodSelector::of(budget.selector, symbols);
  compiled.allowed = allowed;
  for (const auto& [pod, at] : budget.disrupted_pods) compiled.disrupted_pods.push_back(pod);
  return compiled;
}

bool Belonging::add_service(const kube::Service& service) {
  // A service without a selector selects nothing.
  if (service.selector.empty()) return remove_service(service.metadata.namespace_, service.metadata.name);
  PodSelector selector = PodSelector::of_labels(service.selector, *symbols_);
  PodSelector& known = services_[symbols_->intern(service.metadata.namespace_)][service.metadata.name];
  if (known == selector) return false;
  known = std::move(selector);
  return true;
}

bool Belonging::remove_service(std::string_view name_space, std::string_view name) {
  const auto here = services_.find(symbols_->find(name_space));
  if (here == services_.end()) return false;
  const auto found = here->second.find(name);
  if (found == here->second.end()) return false;
  here->second.erase(found);
  if (here->second.empty()) services_.erase(here);
  return true;
}

bool Belonging::add_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector) {
  ControllerKey key{symbols_->intern(metadata.namespace_), metadata.name, std::string(kind)};
  const auto [entry, fresh] = controllers_.try_emplace(std::move(key), selector);
  if (fresh) return true;
  if (entry->second == selector) return false;
  entry->second = selector;
  return true;
}

bool Belonging::remove_controller(std::string_view kind, std::string_view name_space, std::string_view name) {
  return controllers_.erase({symbols_->find(name_space), std::string(name), std::string(kind)}) > 0;
}

std::vector<DisruptionBudget>::iterator Belonging::find_budget(Symbol name_space, std::string_view name) {
  return std::find_if(budgets_.begin(), budgets_.end(), [&](const DisruptionBudget& budget) {
    return budget.name_space == name_space && budget.name == name;
  });
}

bool Belonging::add_budget(DisruptionBudget budget) {
  const auto found = find_budget(budget.name_space, budget.name);
  if (found == budgets_.end()) {
    budgets_.push_back(std::move(budget));
    return true;
  }
  if (*found == budget) return false;
  *found = std::move(budget);
  return true;
}

bool Belonging::remove_budget(std::string_view name_space, std::string_view name) {
  const auto found = find_budget(symbols_->find(name_space), name);
  if (found == budgets_.end()) return false;
  budgets_.erase(found);
  return true;
}

PodSelector Belonging::selector_of(const PodShape& shape) const {
  PodSelector selector = PodSelector::everything();
  if (const auto found = services_.find(shape.name_space); found != services_.end()) {
    for (const auto& [name, service] : found->second) {
      if (service.matches(shape.labels, *symbols_)) selector.add(service);
    }
  }
  if (!shape.controller) return selector;
  const kube::OwnerReference& owner = *shape.controller;
  const std::string_view version = owner.kind == "ReplicationController" ? "v1" : "apps/v1";
  const auto found = controllers_.find({shape.name_space, owner.name, owner.kind});
  if (owner.api_version != version || found == controllers_.end() || found->second.nothing()) return selector;
  selector.add(found->second);
  return selector;
}

}  // namespace loadline::cluster
