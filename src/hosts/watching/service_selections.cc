#include "hosts/watching/service_selections.h"

#include <algorithm>

namespace loadline::watching {
namespace {

bool all_are_in(const kube::StringMap& labels, const kube::StringMap& selector) {
  return std::ranges::all_of(selector, [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
}

/// Those of the labels whose key is one of `keys`. O(the fewer of both × log the more).
template <class Keys, class Visit>
void visit_labels_of(const Keys& keys, const kube::StringMap& labels, const Visit& visit) {
  if (keys.size() < labels.size()) {
    for (const std::string& key : keys) {
      const auto label = labels.find(key);
      if (label != labels.end()) visit(*label);
    }
    return;
  }
  for (const auto& label : labels) {
    if (keys.contains(label.first)) visit(label);
  }
}

}  // namespace

ServiceSelections::ServiceSelections(Cache<kube::Pod>& pods, Cache<kube::Service>& services) : pods_(pods) {
  pods.listen([this](const Change<kube::Pod>& change) { on_pod(change); });
  services.listen([this](const Change<kube::Service>& change) { on_service(change); });
}

std::vector<const Observed<kube::Service>*> ServiceSelections::selecting(std::string_view name_space,
                                                                         const kube::StringMap& labels) const {
  std::vector<const Observed<kube::Service>*> found;
  const auto space = spaces_.find(name_space);
  if (space == spaces_.end()) return found;
  visit_labels_of(space->second.keys, labels, [&](const auto& label) {
    const auto candidates = space->second.services.find(label);
    if (candidates == space->second.services.end()) return;
    for (const auto& [name, service] : candidates->second) {
      if (all_are_in(labels, service->view.selector)) found.push_back(service.get());
    }
  });
  return found;
}

void ServiceSelections::on_pod(const Change<kube::Pod>& change) {
  const kube::ObjectMeta& metadata = change.last().metadata();
  const auto space = spaces_.find(metadata.namespace_);
  if (space == spaces_.end()) return;
  auto& pods = space->second.pods;
  const auto& keys = space->second.keys;
  const bool has_left = change.before != nullptr && (change.after == nullptr || change.after->metadata().labels !=
                                                                                    change.before->metadata().labels);
  if (has_left) {
    const kube::StringMap& labels = change.before->metadata().labels;
    visit_labels_of(keys, labels, [&](const auto& label) {
      const auto filed = pods.find(label);
      if (filed == pods.end()) return;
      filed->second.erase(metadata.name);
      if (filed->second.empty()) pods.erase(filed);
    });
    for (const auto* service : selecting(metadata.namespace_, labels)) {
      selected_[service->key()].erase(metadata.name);
    }
  }
  if (change.after == nullptr) return;
  visit_labels_of(keys, metadata.labels,
                  [&](const auto& label) { pods[label].insert_or_assign(metadata.name, change.after); });
  for (const auto* service : selecting(metadata.namespace_, metadata.labels)) {
    selected_[service->key()].insert_or_assign(metadata.name, change.after);
  }
}

void ServiceSelections::on_service(const Change<kube::Service>& change) {
  const ObjectKey key = change.last().key();
  const bool is_same = change.before != nullptr && change.after != nullptr &&
                       change.before->view.selector == change.after->view.selector;
  if (is_same) {
    const auto filed = filed_.find(key);
    if (filed != filed_.end()) spaces_.find(key.name_space)->second.services[filed->second][key.name] = change.after;
    return;
  }
  unfile(key);
  if (change.after != nullptr) file(change.after);
  selected_.erase(key);
  if (change.after == nullptr || change.after->view.selector.empty()) return;
  const auto& pods = spaces_.find(key.name_space)->second.pods;
  const auto candidates = pods.find(filed_[key]);
  if (candidates == pods.end()) return;
  Pods& selected = selected_[key];
  for (const auto& [name, pod] : candidates->second) {
    if (all_are_in(pod->metadata().labels, change.after->view.selector)) selected.emplace(name, pod);
  }
}

/// The label under which the fewest Services are: one that many share tells little.
void ServiceSelections::file(const ObjectPtr<kube::Service>& service) {
  if (service->view.selector.empty()) return;
  const std::string& name_space = service->metadata().namespace_;
  Space& space = spaces_[name_space];
  const auto filed_under = [&](const auto& label) {
    const auto found = space.services.find(label);
    return found == space.services.end() ? std::size_t{0} : found->second.size();
  };
  Label best = *service->view.selector.begin();
  for (const auto& label : service->view.selector) {
    if (filed_under(label) < filed_under(best)) best = label;
  }
  space.services[best][service->metadata().name] = service;
  if (space.keys.insert(best.first).second) file_pods(name_space, best.first);
  filed_[service->key()] = std::move(best);
}

void ServiceSelections::file_pods(std::string_view name_space, const std::string& label_key) {
  Space& space = spaces_.find(name_space)->second;
  for (const auto& [name, pod] : pods_.in(name_space)) {
    const auto label = pod->metadata().labels.find(label_key);
    if (label != pod->metadata().labels.end()) space.pods[*label].emplace(name, pod);
  }
}

/// A namespace without Services is forgotten.
void ServiceSelections::unfile(const ObjectKey& key) {
  const auto filed = filed_.find(key);
  if (filed == filed_.end()) return;
  const auto space = spaces_.find(key.name_space);
  auto& services = space->second.services;
  const auto under = services.find(filed->second);
  under->second.erase(key.name);
  if (under->second.empty()) services.erase(under);
  if (services.empty()) spaces_.erase(space);
  filed_.erase(filed);
}

}  // namespace loadline::watching
