// The part of Cluster that says where nodes are: in which domains, in which filters, and so in which counts.
#include <algorithm>

#include "brain/cluster/cluster.h"

namespace loadline::cluster {

TopologyKeyId Cluster::intern_topology_key(Symbol label) {
  const auto [entry, fresh] = key_ids_.try_emplace(label, TopologyKeyId{keys_.size()});
  if (fresh) {
    keys_.emplace_back().key = label;
    keys_.back().domain_of.resize(facts_.size());
    for (const NodeId node : nodes_) keys_.back().enter(node, facts(node).labels.find(label));
  }
  return entry->second;
}

NodeFilterId Cluster::intern(const NodeFilter& filter) {
  const auto [entry, fresh] = filter_ids_.try_emplace(filter);
  if (!fresh) return entry->second;
  const NodeFilterId id = entry->second = unused_filters_.take(filters_.size());
  if (id.index() == filters_.size()) filters_.emplace_back();
  FilteredNodes filtered{filter, NodeSet(node_slots()), true};
  for (const NodeId node : nodes_) {
    if (passes(filter, facts(node))) filtered.nodes.insert(node);
  }
  filters_[id.index()] = std::move(filtered);
  return id;
}

bool Cluster::passes(const NodeFilter& filter, const NodeFacts& facts) const {
  for (const TopologyKeyId key : filter.required_keys) {
    if (key != kEachNode && !facts.labels.find(topology_key(key).key).valid()) return false;
  }
  if (filter.affinity && !cluster::matches(*filter.affinity, facts.labels, facts.name, symbols_)) return false;
  if (!filter.tolerations) return true;
  return std::all_of(facts.taints.begin(), facts.taints.end(), [&](const CompiledTaint& taint) {
    const bool keeps_out =
        taint.effect == kube::TaintEffect::kNoSchedule || taint.effect == kube::TaintEffect::kNoExecute;
    return !keeps_out || tolerated(*filter.tolerations, taint);
  });
}

/// Whether, with these facts, the node is in another domain, or passes other filters.
bool Cluster::moves(NodeId id, const NodeFacts& facts) const {
  const LabelSet& labels = this->facts(id).labels;
  for (std::size_t i = kEachNode.index() + 1; i < keys_.size(); ++i) {
    if (labels.find(keys_[i].key) != facts.labels.find(keys_[i].key)) return true;
  }
  return std::any_of(filters_.begin(), filters_.end(), [&](const FilteredNodes& filtered) {
    return filtered.used && filtered.nodes.contains(id) != passes(filtered.filter, facts);
  });
}

/// Puts the node, on which no pod counts, into the domains and filters that its facts name.
void Cluster::join_topology(NodeId id) {
  for (std::size_t i = 0; i < keys_.size(); ++i) enter_domain(TopologyKeyId{i}, id);
  for (FilteredNodes& filtered : filters_) {
    if (!filtered.used || !passes(filtered.filter, facts(id))) continue;
    if (filtered.nodes.universe() < facts_.size()) {
      NodeSet wider(2 * facts_.size());
      filtered.nodes.for_each([&](NodeId node) { wider.insert(node); });
      filtered.nodes = std::move(wider);
    }
    filtered.nodes.insert(id);
  }
  for (Counter& counter : counters_) count_node(counter, id, 1);
}

/// Takes the node, on which no pod counts any more, out of everything it is in.
void Cluster::leave_topology(NodeId id) {
  for (Counter& counter : counters_) count_node(counter, id, -1);
  for (FilteredNodes& filtered : filters_) {
    if (filtered.nodes.contains(id)) filtered.nodes.erase(id);
  }
  for (TopologyKey& key : keys_) key.leave(id);
}

void Cluster::enter_domain(TopologyKeyId id, NodeId node) {
  TopologyKey& key = keys_[id.index()];
  const std::size_t domains = key.values.size();
  if (id == kEachNode) {
    key.enter_itself(node, facts(node).name);
  } else {
    key.enter(node, facts(node).labels.find(key.key));
  }
  if (key.values.size() == domains) return;
  for (Counter& counter : counters_) {
    if (counter.spec.key != id) continue;
    counter.pods.resize(key.values.size());
    counter.nodes.resize(key.values.size());
  }
  for (AffinityTermCount& affinity_term_count : affinity_term_counts_) {
    if (affinity_term_count.spec.key == id) affinity_term_count.pods.resize(key.values.size());
  }
}

void Cluster::count_node(Counter& counter, NodeId node, std::int32_t sign) const {
  const CounterSpec& spec = counter.spec;
  if (!spec.key.valid()) return;  // was reclaimed
  const DomainId at = domain(spec, node);
  if (!at.valid() || (spec.filter.valid() && !filtered_nodes(spec.filter).contains(node))) return;
  std::int32_t& nodes = counter.nodes[at.index()];
  counter.domains -= nodes > 0 ? 1 : 0;
  nodes += sign;
  counter.domains += nodes > 0 ? 1 : 0;
}

void Cluster::count_pods_on(NodeId node, std::int32_t sign) {
  for (const PodId pod : pods_on(node)) count(pod, node, sign);
}

std::vector<Cluster::KeyForm> Cluster::key_forms() const {
  std::vector<KeyForm> forms;
  forms.reserve(keys_.size());
  for (const TopologyKey& key : keys_) forms.push_back({key.one_node_each(), key.empty});
  return forms;
}

/// After nodes moved. Where nodes without a key count, and what tells nodes apart, concerns more than those that moved.
void Cluster::settle_forms(const std::vector<KeyForm>& before) {
  const std::vector<KeyForm> after = key_forms();
  if (after == before) return;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const CounterSpec& spec = counters_[i].spec;
    if (!spec.key.valid() || !spec.absent_is_empty) continue;
    if (before[spec.key.index()].empty != after[spec.key.index()].empty) counters_[i] = recount(CounterId{i});
  }
  note_all();
}

}  // namespace loadline::cluster
