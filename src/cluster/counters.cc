#include "cluster/counters.h"

#include <algorithm>

#include "cluster/cluster.h"

namespace loadline::cluster {

// ---- interning
// -------------------------------------------------------------------------------------------------------

TermId Cluster::intern(const PodTerm& term) {
  const auto [entry, fresh] = term_ids_.try_emplace(term, TermId{terms_.size()});
  if (fresh) terms_.push_back(term);
  return entry->second;
}

TopologyKeyId Cluster::intern_topology_key(Symbol label) {
  const auto [entry, fresh] = key_ids_.try_emplace(label, TopologyKeyId{keys_.size()});
  if (fresh) {
    keys_.push_back({label, {}, {}, {}, 0, {}});
    for (std::size_t i = 0; i < facts_.size(); ++i) fill_domains(keys_.back(), NodeId{i});
  }
  return entry->second;
}

/// Appends the node's domain. REQUIRES: the key has the domains of all nodes before it.
void Cluster::fill_domains(TopologyKey& key, NodeId node) {
  if (&key == &keys_[kEachNode.index()]) {
    key.domain_of.emplace_back(node.index());
    key.values.push_back(facts(node).name);
    ++key.members;
    return;
  }
  const Symbol value = facts(node).labels.find(key.key);
  if (!value.valid()) {
    key.domain_of.emplace_back();
    return;
  }
  const auto [known, fresh] = key.domains.try_emplace(value, DomainId{key.values.size()});
  if (fresh) key.values.push_back(value);
  if (symbols_.text(value).empty()) key.empty = known->second;
  key.domain_of.push_back(known->second);
  ++key.members;
}

NodeFilterId Cluster::intern(const NodeFilter& filter) {
  const auto [entry, fresh] = filter_ids_.try_emplace(filter, NodeFilterId{filters_.size()});
  if (fresh) {
    filters_.push_back(filter);
    NodeSet nodes(node_count());
    for (std::size_t i = 0; i < node_count(); ++i) {
      if (passes(filter, NodeId{i})) nodes.insert(NodeId{i});
    }
    filter_nodes_.push_back(std::move(nodes));
  }
  return entry->second;
}

bool Cluster::passes(const NodeFilter& filter, NodeId node) const {
  for (const TopologyKeyId key : filter.required_keys) {
    if (!domain(key, node).valid()) return false;
  }
  const NodeFacts& facts = this->facts(node);
  if (filter.affinity && !cluster::matches(*filter.affinity, facts.labels, facts.name, symbols_)) return false;
  if (!filter.tolerations) return true;
  return std::all_of(facts.taints.begin(), facts.taints.end(), [&](const CompiledTaint& taint) {
    const bool keeps_out =
        taint.effect == kube::TaintEffect::kNoSchedule || taint.effect == kube::TaintEffect::kNoExecute;
    return !keeps_out || tolerated(*filter.tolerations, taint);
  });
}

CounterId Cluster::intern(const CounterSpec& spec) {
  const auto [entry, fresh] = counter_ids_.try_emplace(spec, CounterId{counters_.size()});
  if (fresh) {
    counters_.push_back(empty_counter(spec));
    counters_.back() = recount(entry->second);
  }
  return entry->second;
}

HolderId Cluster::intern(const HolderSpec& spec) {
  const auto [entry, fresh] = holder_ids_.try_emplace(spec, HolderId{holders_.size()});
  // A new term is carried by no placed pod yet: its shape is being interned.
  if (fresh) holders_.push_back({spec, std::vector<std::int32_t>(topology_key(spec.key).values.size()), 0});
  return entry->second;
}

// ---- matching
// --------------------------------------------------------------------------------------------------------

bool Cluster::matches(TermId id, const PodShape& shape) const {
  const PodTerm& wanted = term(id);
  const bool here = std::binary_search(wanted.namespaces.begin(), wanted.namespaces.end(), shape.name_space) ||
                    wanted.namespace_selector.matches(namespace_labels(shape.name_space), symbols_);
  return here && wanted.selector.matches(shape.labels, symbols_);
}

const std::vector<CounterId>& Cluster::counters_matching(ShapeId id) const {
  const ShapeLinks& links = links_[id.index()];
  if (links.counters_seen == 0) links.counters.clear();
  for (; links.counters_seen < counters_.size(); ++links.counters_seen) {
    const std::vector<TermId>& terms = counters_[links.counters_seen].spec.all_of;
    const bool all = std::all_of(terms.begin(), terms.end(), [&](TermId term) { return matches(term, shape(id)); });
    if (all && !terms.empty()) links.counters.emplace_back(links.counters_seen);
  }
  return links.counters;
}

const std::vector<HolderId>& Cluster::holders_matching(ShapeId id) const {
  const ShapeLinks& links = links_[id.index()];
  if (links.holders_seen == 0) links.holders.clear();
  for (; links.holders_seen < holders_.size(); ++links.holders_seen) {
    if (matches(holders_[links.holders_seen].spec.term, shape(id))) links.holders.emplace_back(links.holders_seen);
  }
  return links.holders;
}

// ---- counting
// --------------------------------------------------------------------------------------------------------

bool Cluster::counts(const CounterSpec& spec, const PodRecord& pod, NodeId node) const {
  if (spec.skip_terminating && pod.terminating) return false;
  return !spec.filter.valid() || filtered_nodes(spec.filter).contains(node);
}

/// Adds the pod to every count it takes part in, or takes it out.
void Cluster::count(PodId pod, NodeId node, std::int32_t sign) {
  const PodRecord& record = pods_[pod.index()];
  for (const CounterId id : counters_matching(record.shape)) {
    Counter& counter = counters_[id.index()];
    const DomainId at = domain(counter.spec, node);
    if (!at.valid() || !counts(counter.spec, record, node)) continue;
    counter.pods[at.index()] += sign;
    counter.total += sign;
  }
  for (const HolderId id : links_[record.shape.index()].holds) {
    Holder& holder = holders_[id.index()];
    const DomainId at = domain(holder.spec.key, node);
    if (!at.valid()) continue;
    holder.pods[at.index()] += sign;
    holder.total += sign;
  }
}

Counter Cluster::empty_counter(const CounterSpec& spec) const {
  Counter counter;
  counter.spec = spec;
  const TopologyKey& key = topology_key(spec.key);
  counter.pods.assign(key.values.size(), 0);
  counter.nodes.assign(key.values.size(), 0);
  for (std::size_t i = 0; i < node_count(); ++i) {
    const DomainId at = domain(spec, NodeId{i});
    if (!at.valid() || (spec.filter.valid() && !filtered_nodes(spec.filter).contains(NodeId{i}))) continue;
    if (counter.nodes[at.index()]++ == 0) ++counter.domains;
  }
  return counter;
}

Counter Cluster::recount(CounterId id) const {
  const CounterSpec& spec = counters_[id.index()].spec;
  Counter counter = empty_counter(spec);
  for (std::size_t i = 0; i < node_count(); ++i) {
    const DomainId at = domain(spec, NodeId{i});
    if (!at.valid()) continue;
    for (const PodId pod : pods_on_[i]) {
      const PodRecord& record = pods_[pod.index()];
      const std::vector<CounterId>& matching = counters_matching(record.shape);
      if (!std::binary_search(matching.begin(), matching.end(), id) || !counts(spec, record, NodeId{i})) continue;
      ++counter.pods[at.index()];
      ++counter.total;
    }
  }
  return counter;
}

Holder Cluster::recount(HolderId id) const {
  const HolderSpec& spec = holders_[id.index()].spec;
  Holder holder{spec, std::vector<std::int32_t>(topology_key(spec.key).values.size()), 0};
  for (std::size_t i = 0; i < node_count(); ++i) {
    const DomainId at = domain(spec.key, NodeId{i});
    if (!at.valid()) continue;
    for (const PodId pod : pods_on_[i]) {
      const auto& holds = links_[pods_[pod.index()].shape.index()].holds;
      const auto carried = static_cast<std::int32_t>(std::count(holds.begin(), holds.end(), id));
      holder.pods[at.index()] += carried;
      holder.total += carried;
    }
  }
  return holder;
}

void Cluster::rebuild_derived() {
  for (TopologyKey& key : keys_) {
    key.domain_of.clear();
    key.values.clear();
    key.domains.clear();
    key.members = 0;
    key.empty = DomainId{};
    for (std::size_t i = 0; i < node_count(); ++i) fill_domains(key, NodeId{i});
  }
  for (std::size_t f = 0; f < filters_.size(); ++f) {
    filter_nodes_[f].reset(node_count());
    for (std::size_t i = 0; i < node_count(); ++i) {
      if (passes(filters_[f], NodeId{i})) filter_nodes_[f].insert(NodeId{i});
    }
  }
  for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i] = recount(CounterId{i});
  for (std::size_t i = 0; i < holders_.size(); ++i) holders_[i] = recount(HolderId{i});
}

}  // namespace loadline::cluster
