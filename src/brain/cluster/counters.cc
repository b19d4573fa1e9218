#include "brain/cluster/counters.h"

#include <algorithm>

#include "brain/cluster/cluster.h"

namespace loadline::cluster {

// ---- interning ------------------------------------------------------------------------------------------------------

TermId Cluster::intern(const PodTerm& term) {
  const auto [entry, fresh] = term_ids_.try_emplace(term);
  if (!fresh) return entry->second;
  const TermId id = entry->second = unused_terms_.take(terms_.size());
  if (id.index() == terms_.size()) terms_.emplace_back();
  terms_[id.index()] = term;
  return id;
}

CounterId Cluster::intern(const CounterSpec& spec) {
  const auto [entry, fresh] = counter_ids_.try_emplace(spec);
  if (!fresh) {
    keep(entry->second);
    return entry->second;
  }
  const CounterId id = entry->second = unused_counters_.take(counters_.size());
  const bool reused = id.index() < counters_.size();
  if (!reused) {
    counters_.emplace_back();
    counter_asked_.emplace_back();
  }
  keep(id);
  counters_[id.index()].spec = spec;
  if (reused) link(id);
  counters_[id.index()] = recount(id);
  return id;
}

AffinityTermCountId Cluster::intern(const AffinityTermSpec& spec) {
  const auto [entry, fresh] = affinity_term_count_ids_.try_emplace(spec);
  if (!fresh) return entry->second;
  const AffinityTermCountId id = entry->second = unused_affinity_term_counts_.take(affinity_term_counts_.size());
  const bool reused = id.index() < affinity_term_counts_.size();
  if (!reused) {
    affinity_term_counts_.emplace_back();
    affinity_term_count_shapes_.emplace_back();
  }
  // A new term is carried by no placed pod yet: its shape is being interned.
  affinity_term_counts_[id.index()] = {spec, std::vector<std::int32_t>(topology_key(spec.key).values.size()), 0};
  if (reused) link(id);
  ++affinity_term_counts_made_;
  return id;
}

// ---- matching -------------------------------------------------------------------------------------------------------

bool Cluster::matches(TermId id, const PodShape& shape) const {
  const PodTerm& wanted = term(id);
  const bool here = std::binary_search(wanted.namespaces.begin(), wanted.namespaces.end(), shape.name_space) ||
                    wanted.namespace_selector.matches(namespace_labels(shape.name_space), symbols_);
  return here && wanted.selector.matches(shape.labels, symbols_);
}

bool Cluster::matches(const CounterSpec& spec, const PodShape& shape) const {
  return !spec.all_of.empty() &&
         std::all_of(spec.all_of.begin(), spec.all_of.end(), [&](TermId term) { return matches(term, shape); });
}

const std::vector<CounterId>& Cluster::counters_matching(ShapeId id) const {
  const ShapeLinks& links = links_[id.index()];
  for (; links.counters_seen < counters_.size(); ++links.counters_seen) {
    if (matches(counters_[links.counters_seen].spec, shape(id))) links.counters.emplace_back(links.counters_seen);
  }
  return links.counters;
}

const std::vector<AffinityTermCountId>& Cluster::matching_affinity_term_counts(ShapeId id) const {
  const ShapeLinks& links = links_[id.index()];
  for (; links.affinity_term_counts_seen < affinity_term_counts_.size(); ++links.affinity_term_counts_seen) {
    const AffinityTermSpec& spec = affinity_term_counts_[links.affinity_term_counts_seen].spec;
    if (spec.key.valid() && matches(spec.term, shape(id)))
      links.affinity_term_counts.emplace_back(links.affinity_term_counts_seen);
  }
  return links.affinity_term_counts;
}

/// An id that came free has a new meaning: shapes that have seen ids up to it learn of it.
void Cluster::link(CounterId id) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    ShapeLinks& links = links_[i];
    if (shapes_[i] == nullptr || links.counters_seen <= id.index()) continue;
    if (!matches(counters_[id.index()].spec, *shapes_[i])) continue;
    links.counters.insert(std::lower_bound(links.counters.begin(), links.counters.end(), id), id);
  }
}

void Cluster::link(AffinityTermCountId id) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    ShapeLinks& links = links_[i];
    if (shapes_[i] == nullptr || links.affinity_term_counts_seen <= id.index()) continue;
    if (!matches(affinity_term_counts_[id.index()].spec.term, *shapes_[i])) continue;
    links.affinity_term_counts.insert(
        std::lower_bound(links.affinity_term_counts.begin(), links.affinity_term_counts.end(), id), id);
  }
}

// ---- counting -------------------------------------------------------------------------------------------------------

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
  for (const AffinityTermCountId id : links_[record.shape.index()].holds) {
    AffinityTermCount& affinity_term_count = affinity_term_counts_[id.index()];
    const DomainId at = domain(affinity_term_count.spec.key, node);
    if (!at.valid()) continue;
    affinity_term_count.pods[at.index()] += sign;
    affinity_term_count.total += sign;
  }
}

Counter Cluster::empty_counter(const CounterSpec& spec) const {
  Counter counter;
  counter.spec = spec;
  const TopologyKey& key = topology_key(spec.key);
  counter.pods.assign(key.values.size(), 0);
  counter.nodes.assign(key.values.size(), 0);
  for (const NodeId node : nodes_) count_node(counter, node, 1);
  return counter;
}

Counter Cluster::recount(CounterId id) const {
  const CounterSpec& spec = counters_[id.index()].spec;
  if (!spec.key.valid()) return {};
  Counter counter = empty_counter(spec);
  for (const NodeId node : nodes_) {
    const DomainId at = domain(spec, node);
    if (!at.valid()) continue;
    for (const PodId pod : pods_on(node)) {
      const PodRecord& record = pods_[pod.index()];
      const std::vector<CounterId>& matching = counters_matching(record.shape);
      if (!std::binary_search(matching.begin(), matching.end(), id) || !counts(spec, record, node)) continue;
      ++counter.pods[at.index()];
      ++counter.total;
    }
  }
  return counter;
}

AffinityTermCount Cluster::recount(AffinityTermCountId id) const {
  const AffinityTermSpec& spec = affinity_term_counts_[id.index()].spec;
  if (!spec.key.valid()) return {};
  AffinityTermCount affinity_term_count{spec, std::vector<std::int32_t>(topology_key(spec.key).values.size()), 0};
  for (const NodeId node : nodes_) {
    const DomainId at = domain(spec.key, node);
    if (!at.valid()) continue;
    for (const PodId pod : pods_on(node)) {
      const auto& holds = links_[pods_[pod.index()].shape.index()].holds;
      const auto carried = static_cast<std::int32_t>(std::count(holds.begin(), holds.end(), id));
      affinity_term_count.pods[at.index()] += carried;
      affinity_term_count.total += carried;
    }
  }
  return affinity_term_count;
}

}  // namespace loadline::cluster
