#include "hosts/controllers/service_selections.h"

#include <algorithm>

namespace loadline::controllers {
namespace {

bool all_are_in(const kube::StringMap& labels, const kube::StringMap& selector) {
  return std::ranges::all_of(selector, [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
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
  for (const auto& label : labels) {
    const auto candidates = space->second.find(label);
    if (candidates == space->second.end()) continue;
    for (const auto& [name, service] : candidates->second) {
      if (all_are_in(labels, service->view.selector)) found.push_back(service.get());
    }
  }
  return found;
}

void ServiceSelections::on_pod(const Change<kube::Pod>& change) {
  const kube::ObjectMeta& metadata = change.last().metadata();
  if (change.before != nullptr && (change.after == nullptr || change.after->metadata().labels != change.before->metadata().labels)) {
    for (const auto* service : selecting(metadata.namespace_, change.before->metadata().labels)) {
      selected_[service->key()].erase(metadata.name);
    }
  }
  if (change.after == nullptr) return;
  for (const auto* service : selecting(metadata.namespace_, metadata.labels)) {
    selected_[service->key()].insert_or_assign(metadata.name, change.after);
  }
}

void ServiceSelections::on_service(const Change<kube::Service>& change) {
  const ObjectKey key = change.last().key();
  const bool is_same =
      change.before != nullptr && change.after != nullptr && change.before->view.selector == change.after->view.selector;
  unfile(key);
  if (change.after != nullptr) file(change.after);
  if (is_same) return;
  selected_.erase(key);
  if (change.after == nullptr || change.after->view.selector.empty()) return;
  Pods& selected = selected_[key];
  for (const auto& [name, pod] : pods_.in(key.name_space)) {
    if (all_are_in(pod->metadata().labels, change.after->view.selector)) selected.emplace(name, pod);
  }
}

/// The label under which the fewest Services are: one that many share tells little.
void ServiceSelections::file(const ObjectPtr<kube::Service>& service) {
  if (service->view.selector.empty()) return;
  ByLabel& by_label = spaces_[service->metadata().namespace_];
  const auto filed_under = [&](const auto& label) {
    const auto found = by_label.find(label);
    return found == by_label.end() ? std::size_t{0} : found->second.size();
  };
  Label best = *service->view.selector.begin();
  for (const auto& label : service->view.selector) {
    if (filed_under(label) < filed_under(best)) best = label;
  }
  by_label[best][service->metadata().name] = service;
  filed_[service->key()] = best;
}

void ServiceSelections::unfile(const ObjectKey& key) {
  const auto filed = filed_.find(key);
  if (filed == filed_.end()) return;
  const auto space = spaces_.find(key.name_space);
  const auto under = space->second.find(filed->second);
  under->second.erase(key.name);
  if (under->second.empty()) space->second.erase(under);
  if (space->second.empty()) spaces_.erase(space);
  filed_.erase(filed);
}

}  // namespace loadline::controllers
