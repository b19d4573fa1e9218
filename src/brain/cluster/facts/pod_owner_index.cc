#include "brain/cluster/facts/pod_owner_index.h"

namespace loadline::cluster {

bool PodOwnerIndex::add_service(const kube::Service& service) {
  const std::string& name_space = service.metadata.namespace_;
  const std::string& name = service.metadata.name;
  // A service without a selector selects nothing.
  if (service.selector.empty()) return remove_service(name_space, name);
  PodSelector selector = PodSelector::of_labels(service.selector, *symbols_);
  if (this->service(name_space, name) == selector) return false;
  remove_service(name_space, name);
  Services& here = services_[symbols_->intern(name_space)];
  const Label label = rarest(here, service.selector);
  here.by_name.emplace(name, Service{std::move(selector), label});
  here.by_label[label].insert(name);
  return true;
}

Label PodOwnerIndex::rarest(const Services& services, const kube::StringMap& labels) const {
  Label best;
  std::size_t fewest = 0;
  for (const auto& [key, value] : labels) {
    const Label label{symbols_->intern(key), symbols_->intern(value)};
    const auto found = services.by_label.find(label);
    const std::size_t count = found == services.by_label.end() ? 0 : found->second.size();
    if (best.first.valid() && count >= fewest) continue;
    best = label;
    fewest = count;
  }
  return best;
}

bool PodOwnerIndex::remove_service(std::string_view name_space, std::string_view name) {
  const auto here = services_.find(symbols_->find(name_space));
  if (here == services_.end()) return false;
  auto& [by_name, by_label] = here->second;
  const auto found = by_name.find(name);
  if (found == by_name.end()) return false;
  const auto listed = by_label.find(found->second.found_by);
  listed->second.erase(listed->second.find(name));
  if (listed->second.empty()) by_label.erase(listed);
  by_name.erase(found);
  if (by_name.empty()) services_.erase(here);
  return true;
}

PodSelector PodOwnerIndex::service(std::string_view name_space, std::string_view name) const {
  const auto here = services_.find(symbols_->find(name_space));
  if (here == services_.end()) return {};
  const auto found = here->second.by_name.find(name);
  return found == here->second.by_name.end() ? PodSelector() : found->second.selector;
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

std::map<std::string_view, const PodSelector*> PodOwnerIndex::selecting(const PodShape& shape) const {
  std::map<std::string_view, const PodSelector*> found;
  const auto here = services_.find(shape.name_space);
  if (here == services_.end()) return found;
  for (const Label& label : shape.labels.pairs()) {
    const auto listed = here->second.by_label.find(label);
    if (listed == here->second.by_label.end()) continue;
    for (const std::string& name : listed->second) {
      const PodSelector& selector = here->second.by_name.find(name)->second.selector;
      if (selector.matches(shape.labels, *symbols_)) found.emplace(name, &selector);
    }
  }
  return found;
}

PodSelector PodOwnerIndex::selector_of(const PodShape& shape) const {
  PodSelector selector = PodSelector::everything();
  for (const auto& [name, service] : selecting(shape)) selector.add(*service);
  if (!shape.controller) return selector;
  const kube::OwnerReference& owner = *shape.controller;
  const std::string_view version = owner.kind == "ReplicationController" ? "v1" : "apps/v1";
  const auto found = controllers_.find({shape.name_space, owner.name, owner.kind});
  if (owner.api_version != version || found == controllers_.end() || found->second.nothing()) return selector;
  selector.add(found->second);
  return selector;
}

}  // namespace loadline::cluster
