#include "brain/cluster/facts/topology.h"

#include <algorithm>
#include <utility>

namespace loadline::cluster {

Topology::Topology(const NodeTable& nodes, SymbolTable& symbols) : nodes_(nodes), symbols_(symbols) {
  keys_.emplace_back().key = symbols.intern("");  // kEachNode
}

TopologyKeyId Topology::intern(Symbol label) {
  const auto [entry, fresh] = key_ids_.try_emplace(label, TopologyKeyId{keys_.size()});
  if (fresh) {
    keys_.emplace_back().key = label;
    keys_.back().domain_of.resize(nodes_.slots());
    for (const NodeId node : nodes_.in_order()) keys_.back().enter(node, nodes_.facts(node).labels.find(label));
  }
  return entry->second;
}

NodeFilterId Topology::intern(const NodeFilter& filter) {
  const auto [entry, fresh] = filter_ids_.try_emplace(filter);
  if (!fresh) return entry->second;
  const NodeFilterId id = entry->second = unused_filters_.take(filters_.size());
  if (id.index() == filters_.size()) filters_.emplace_back();
  FilteredNodes filtered{filter, NodeSet(nodes_.slots()), true};
  for (const NodeId node : nodes_.in_order()) {
    if (passes(filter, nodes_.facts(node))) filtered.nodes.insert(node);
  }
  filters_[id.index()] = std::move(filtered);
  return id;
}

bool Topology::passes(const NodeFilter& filter, const NodeFacts& facts) const {
  for (const TopologyKeyId id : filter.required_keys) {
    if (id != kEachNode && !facts.labels.find(key(id).key).valid()) return false;
  }
  if (filter.affinity && !matches(*filter.affinity, facts.labels, facts.name, symbols_)) return false;
  if (!filter.tolerations) return true;
  return std::all_of(facts.taints.begin(), facts.taints.end(), [&](const CompiledTaint& taint) {
    const bool keeps_out =
        taint.effect == kube::TaintEffect::kNoSchedule || taint.effect == kube::TaintEffect::kNoExecute;
    return !keeps_out || tolerated(*filter.tolerations, taint);
  });
}

// ---- nodes come, move and go ----------------------------------------------------------------------------------------

bool Topology::moves(NodeId id, const NodeFacts& facts) const {
  const LabelSet& labels = nodes_.facts(id).labels;
  for (std::size_t i = kEachNode.index() + 1; i < keys_.size(); ++i) {
    if (labels.find(keys_[i].key) != facts.labels.find(keys_[i].key)) return true;
  }
  return std::any_of(filters_.begin(), filters_.end(), [&](const FilteredNodes& filtered) {
    return filtered.used && filtered.nodes.contains(id) != passes(filtered.filter, facts);
  });
}

bool Topology::join(NodeId id) {
  bool has_grown = false;
  for (std::size_t i = 0; i < keys_.size(); ++i) has_grown = enter(TopologyKeyId{i}, id) || has_grown;
  for (FilteredNodes& filtered : filters_) {
    if (filtered.used && passes(filtered.filter, nodes_.facts(id))) pass(filtered, id);
  }
  return has_grown;
}

void Topology::leave(NodeId id) {
  for (FilteredNodes& filtered : filters_) {
    if (filtered.nodes.contains(id)) filtered.nodes.erase(id);
  }
  for (TopologyKey& key : keys_) key.leave(id);
}

/// Returns whether the key has more domains than before.
bool Topology::enter(TopologyKeyId id, NodeId node) {
  TopologyKey& key = keys_[id.index()];
  const std::size_t domains = key.values.size();
  if (id == kEachNode) {
    key.enter_itself(node, nodes_.facts(node).name);
  } else {
    key.enter(node, nodes_.facts(node).labels.find(key.key));
  }
  return key.values.size() != domains;
}

void Topology::pass(FilteredNodes& filtered, NodeId id) {
  if (filtered.nodes.universe() < nodes_.slots()) {
    NodeSet wider(2 * nodes_.slots());
    filtered.nodes.for_each([&](NodeId node) { wider.insert(node); });
    filtered.nodes = std::move(wider);
  }
  filtered.nodes.insert(id);
}

// ---- for counts -----------------------------------------------------------------------------------------------------

std::vector<Topology::KeyForm> Topology::forms() const {
  std::vector<KeyForm> forms;
  forms.reserve(keys_.size());
  for (const TopologyKey& key : keys_) forms.push_back({key.one_node_each(), key.empty});
  return forms;
}

void Topology::reclaim_filters(const std::vector<bool>& in_use) {
  std::erase_if(filter_ids_, [&](const auto& entry) {
    const NodeFilterId id = entry.second;
    if (in_use[id.index()]) return false;
    filters_[id.index()] = {{}, {}, false};
    unused_filters_.give_back(id);
    return true;
  });
}

}  // namespace loadline::cluster
