#include "brain/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::cluster {

Cluster::Cluster() { keys_.emplace_back().key = symbols_.intern(""); }

// ---- namespaces -----------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kNameLabel = "kubernetes.io/metadata.name";

}  // namespace

void Cluster::set_namespace(std::string_view name, const kube::StringMap& labels) {
  const Symbol symbol = symbols_.intern(name);
  LabelSet compiled(labels, symbols_);
  // Where there is no entry there are no pods: add_pod makes sure.
  const auto [entry, fresh] = namespaces_.try_emplace(symbol, compiled);
  if (!fresh && entry->second != compiled) relabel_namespace(symbol, std::move(compiled));
}

void Cluster::remove_namespace(std::string_view name) {
  const Symbol symbol = symbols_.find(name);
  if (!symbol.valid() || !namespaces_.contains(symbol)) return;
  if (has_shapes(symbol)) {
    set_namespace(name, {{kNameLabel, std::string(name)}});
  } else {
    namespaces_.erase(symbol);
  }
}

bool Cluster::has_shapes(Symbol name_space) const {
  return std::any_of(shapes_.begin(), shapes_.end(),
                     [&](const auto& shape) { return shape != nullptr && shape->name_space == name_space; });
}

/// Pods of the namespace may match other terms than before.
void Cluster::relabel_namespace(Symbol name_space, LabelSet labels) {
  const bool matters = std::any_of(terms_.begin(), terms_.end(), [](const PodTerm& term) {
    return !term.namespace_selector.nothing() && !term.namespace_selector.empty();
  });
  if (!matters || !has_shapes(name_space)) {
    namespaces_[name_space] = std::move(labels);
    return;
  }
  std::vector<PodId> pods;
  for (const NodeId node : nodes_) {
    for (const PodId pod : pods_on(node)) {
      if (pods_[pod.index()].name_space == name_space) pods.push_back(pod);
    }
  }
  for (const PodId pod : pods) count(pod, pods_[pod.index()].node, -1);
  namespaces_[name_space] = std::move(labels);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (shapes_[i] == nullptr || shapes_[i]->name_space != name_space) continue;
    links_[i].counters.clear();
    links_[i].affinity_term_counts.clear();
    links_[i].counters_seen = links_[i].affinity_term_counts_seen = 0;
  }
  for (const PodId pod : pods) {
    count(pod, pods_[pod.index()].node, 1);
    note(pods_[pod.index()].node);
  }
  ++matching_version_;
}

const LabelSet& Cluster::namespace_labels(Symbol name) const {
  const auto found = namespaces_.find(name);
  REQUIRES(found != namespaces_.end());  // add_pod made sure
  return found->second;
}

/// A namespace that no Namespace object describes has the one label that every namespace has.
void Cluster::ensure_namespace(const std::string& name) {
  const Symbol symbol = symbols_.intern(name);
  if (!namespaces_.contains(symbol)) namespaces_[symbol] = LabelSet({{kNameLabel, name}}, symbols_);
}

// ---- owners and budgets --------------------------------------------------------------------------------------------

const PodSelector& Cluster::owner_selector(ShapeId id) const {
  std::optional<PodSelector>& known = links_[id.index()].owner_selector;
  if (!known) known = owners_.selector_of(shape(id));
  return *known;
}

PodOwnerIndex& Cluster::change_owners() {
  for (ShapeLinks& links : links_) links.owner_selector.reset();
  ++matching_version_;
  return owners_;
}

/// What was remembered of shapes that it concerns is found anew. Readers are told only
/// if it differs: a ReplicaSet comes before its pods, and most of its updates are of its status.
template <class Concerns>
void Cluster::owners_changed(Concerns&& concerns) {
  bool changed = false;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    std::optional<PodSelector>& known = links_[i].owner_selector;
    if (shapes_[i] == nullptr || !known || !concerns(*shapes_[i])) continue;
    PodSelector now = owners_.selector_of(*shapes_[i]);
    if (now == *known) continue;
    known = std::move(now);
    changed = true;
  }
  if (changed) ++matching_version_;
}

void Cluster::set_service(const kube::Service& service) {
  if (!owners_.add_service(service)) return;
  const Symbol where = symbols_.intern(service.metadata.namespace_);
  owners_changed([&](const PodShape& shape) { return shape.name_space == where; });
}

void Cluster::remove_service(std::string_view name_space, std::string_view name) {
  if (!owners_.remove_service(name_space, name)) return;
  const Symbol where = symbols_.find(name_space);
  owners_changed([&](const PodShape& shape) { return shape.name_space == where; });
}

namespace {

/// Whether the controller of that name, in the symbol's namespace, owns pods of the shape.
bool owns(Symbol name_space, std::string_view name, const PodShape& shape) {
  return shape.name_space == name_space && shape.controller && shape.controller->name == name;
}

}  // namespace

void Cluster::set_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector) {
  if (!owners_.add_controller(kind, metadata, selector)) return;
  const Symbol where = symbols_.intern(metadata.namespace_);
  owners_changed([&](const PodShape& shape) { return owns(where, metadata.name, shape); });
}

void Cluster::remove_controller(std::string_view kind, std::string_view name_space, std::string_view name) {
  if (!owners_.remove_controller(kind, name_space, name)) return;
  const Symbol where = symbols_.find(name_space);
  owners_changed([&](const PodShape& shape) { return owns(where, name, shape); });
}

void Cluster::set_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed) {
  if (budgets_.add(compile_budget(budget, allowed, symbols_))) ++budget_version_;
}

void Cluster::remove_budget(std::string_view name_space, std::string_view name) {
  if (budgets_.remove(symbols_.find(name_space), name)) ++budget_version_;
}

void Cluster::allow_disruptions(std::size_t budget, std::int32_t pods) {
  if (budgets_.allow(budget, pods)) ++budget_version_;
}

void Cluster::set_budgets(std::vector<DisruptionBudget> budgets) {
  budgets_.replace_all(std::move(budgets));
  ++budget_version_;
}

}  // namespace loadline::cluster
