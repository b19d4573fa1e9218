#include "brain/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::cluster {

// ---- namespaces -----------------------------------------------------------------------------------------------------

void Cluster::set_namespace(std::string_view name, const kube::StringMap& labels) {
  REQUIRES(!undo_.is_open());
  const Symbol symbol = symbols_.intern(name);
  LabelSet compiled(labels, symbols_);
  if (!namespaces_.is_known(symbol)) {
    namespaces_.set(symbol, std::move(compiled));  // there are no pods: add_pod makes sure
  } else if (namespaces_.labels(symbol) != compiled) {
    relabel_namespace(symbol, std::move(compiled));
  }
}

void Cluster::remove_namespace(std::string_view name) {
  REQUIRES(!undo_.is_open());
  const Symbol symbol = symbols_.find(name);
  if (!symbol.valid() || !namespaces_.is_known(symbol)) return;
  if (!has_shapes(symbol)) return namespaces_.forget(symbol);
  LabelSet labels = namespaces_.without_object(name);
  if (namespaces_.labels(symbol) != labels) relabel_namespace(symbol, std::move(labels));
}

bool Cluster::has_shapes(Symbol name_space) const {
  bool has = false;
  shapes_.for_each([&](ShapeId /*id*/, const PodShape& shape) { has = has || shape.name_space == name_space; });
  return has;
}

/// Pods of the namespace may match other terms than before.
void Cluster::relabel_namespace(Symbol name_space, LabelSet labels) {
  const bool matters = std::ranges::any_of(counts_.terms(), [](const PodTerm& term) {
    return !term.namespace_selector.nothing() && !term.namespace_selector.empty();
  });
  if (!matters || !has_shapes(name_space)) return namespaces_.set(name_space, std::move(labels));
  std::vector<PodId> pods;
  for (const NodeId node : nodes()) {
    for (const PodId id : pods_on(node)) {
      if (pod(id).name_space == name_space) pods.push_back(id);
    }
  }
  for (const PodId id : pods) counts_.count(pod(id), pod(id).node, -1);
  namespaces_.set(name_space, std::move(labels));
  shapes_.for_each([&](ShapeId id, const PodShape& shape) {
    if (shape.name_space == name_space) counts_.forget_matches(id);
  });
  for (const PodId id : pods) {
    counts_.count(pod(id), pod(id).node, 1);
    note(pod(id).node);
  }
  ++matching_version_;
}

// ---- owners and budgets --------------------------------------------------------------------------------------------

Cluster::ShapeMemo& Cluster::memo_of(ShapeId id) const {
  REQUIRES_SLOW(id.index() < shapes_.slots());
  if (memos_.size() < shapes_.slots()) memos_.resize(shapes_.slots());
  return memos_[id.index()];
}

const PodSelector& Cluster::owner_selector(ShapeId id) const {
  std::optional<PodSelector>& known = memo_of(id).owner_selector;
  if (!known) known = owners_.selector_of(shape(id));
  return *known;
}

PodOwnerIndex& Cluster::change_owners() {
  REQUIRES(!undo_.is_open());
  for (ShapeMemo& memo : memos_) memo.owner_selector.reset();
  ++matching_version_;
  return owners_;
}

/// What was remembered of shapes that it concerns is found anew. Readers are told only
/// if it differs: a ReplicaSet comes before its pods, and most of its updates are of its status.
/// Whether it differs now.
bool Cluster::renew_owner_selector(ShapeId id, const PodShape& shape) {
  std::optional<PodSelector>& known = memo_of(id).owner_selector;
  if (!known) return false;
  PodSelector now = owners_.selector_of(shape);
  if (now == *known) return false;
  known = std::move(now);
  return true;
}

template <class Concerns>
void Cluster::owners_changed(Concerns&& concerns) {
  bool changed = false;
  shapes_.for_each([&](ShapeId id, const PodShape& shape) {
    if (concerns(shape) && renew_owner_selector(id, shape)) changed = true;
  });
  if (changed) ++matching_version_;
}

void Cluster::set_service(const kube::Service& service) {
  REQUIRES(!undo_.is_open());
  const kube::ObjectMeta& metadata = service.metadata;
  const PodSelector before = owners_.service(metadata.namespace_, metadata.name);
  if (!owners_.add_service(service)) return;
  service_changed(metadata.namespace_, before, owners_.service(metadata.namespace_, metadata.name));
}

void Cluster::remove_service(std::string_view name_space, std::string_view name) {
  REQUIRES(!undo_.is_open());
  const PodSelector before = owners_.service(name_space, name);
  if (owners_.remove_service(name_space, name)) service_changed(name_space, before, {});
}

void Cluster::service_changed(std::string_view name_space, const PodSelector& before, const PodSelector& after) {
  const Symbol where = symbols_.intern(name_space);
  bool changed = false;
  for (const PodSelector* selector : {&before, &after}) {
    if (selector->nothing()) continue;
    shapes_.for_each_with(selector->needed_labels(), [&](ShapeId id, const PodShape& shape) {
      const bool concerns = shape.name_space == where && selector->matches(shape.labels, symbols_);
      if (concerns && renew_owner_selector(id, shape)) changed = true;
    });
  }
  if (changed) ++matching_version_;
}

namespace {

/// Whether the controller of that name, in the symbol's namespace, owns pods of the shape.
bool owns(Symbol name_space, std::string_view name, const PodShape& shape) {
  return shape.name_space == name_space && shape.controller && shape.controller->name == name;
}

}  // namespace

void Cluster::set_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector) {
  REQUIRES(!undo_.is_open());
  if (!owners_.add_controller(kind, metadata, selector)) return;
  const Symbol where = symbols_.intern(metadata.namespace_);
  owners_changed([&](const PodShape& shape) { return owns(where, metadata.name, shape); });
}

void Cluster::remove_controller(std::string_view kind, std::string_view name_space, std::string_view name) {
  REQUIRES(!undo_.is_open());
  if (!owners_.remove_controller(kind, name_space, name)) return;
  const Symbol where = symbols_.find(name_space);
  owners_changed([&](const PodShape& shape) { return owns(where, name, shape); });
}

void Cluster::set_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed) {
  REQUIRES(!undo_.is_open());
  budgets_.add(compile_budget(budget, allowed, symbols_));
}

void Cluster::remove_budget(std::string_view name_space, std::string_view name) {
  REQUIRES(!undo_.is_open());
  budgets_.remove(symbols_.find(name_space), name);
}

}  // namespace loadline::cluster
