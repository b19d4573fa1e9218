#include "brain/cluster/pod_owner_index.h"

namespace loadline::cluster {

bool PodOwnerIndex::add_service(const kube::Service& service) {
  // A service without a selector selects nothing.
  if (service.selector.empty()) return remove_service(service.metadata.namespace_, service.metadata.name);
  PodSelector selector = PodSelector::of_labels(service.selector, *symbols_);
  PodSelector& known = services_[symbols_->intern(service.metadata.namespace_)][service.metadata.name];
  if (known == selector) return false;
  known = std::move(selector);
  return true;
}

bool PodOwnerIndex::remove_service(std::string_view name_space, std::string_view name) {
  const auto here = services_.find(symbols_->find(name_space));
  if (here == services_.end()) return false;
  const auto found = here->second.find(name);
  if (found == here->second.end()) return false;
  here->second.erase(found);
  if (here->second.empty()) services_.erase(here);
  return true;
}

bool PodOwnerIndex::add_controller(std::string_view kind, const kube::ObjectMeta& metadata,
                                   const PodSelector& selector) {
  ControllerKey key{symbols_->intern(metadata.namespace_), metadata.name, std::string(kind)};
  const auto [entry, fresh] = controllers_.try_emplace(std::move(key), selector);
  if (fresh) return true;
  if (entry->second == selector) return false;
  entry->second = selector;
  return true;
}

bool PodOwnerIndex::remove_controller(std::string_view kind, std::string_view name_space, std::string_view name) {
  return controllers_.erase({symbols_->find(name_space), std::string(name), std::string(kind)}) > 0;
}

PodSelector PodOwnerIndex::selector_of(const PodShape& shape) const {
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
