#include "brain/cluster/ledgers/topology_counts.h"

#include <algorithm>
#include <utility>

namespace loadline::cluster {

// ---- interning ------------------------------------------------------------------------------------------------------

TermId TopologyCounts::intern(const PodTerm& term) {
  const auto [entry, fresh] = term_ids_.try_emplace(term);
  if (!fresh) return entry->second;
  const TermId id = entry->second = unused_terms_.take(terms_.size());
  if (id.index() == terms_.size()) terms_.emplace_back();
  terms_[id.index()] = term;
  return id;
}

CounterId TopologyCounts::intern(const CounterSpec& spec) {
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
  counters_by_label_.add(id, needed_labels(spec));
  if (reused) link(id);
  counters_[id.index()] = may_count_some(spec) ? recount(id) : empty_counter(spec);
  return id;
}

AffinityTermCountId TopologyCounts::intern(const AffinityTermSpec& spec) {
  const auto [entry, fresh] = affinity_term_count_ids_.try_emplace(spec);
  if (!fresh) return entry->second;
  const AffinityTermCountId id = entry->second = unused_affinity_term_counts_.take(affinity_term_counts_.size());
  const bool reused = id.index() < affinity_term_counts_.size();
  if (!reused) {
    affinity_term_counts_.emplace_back();
    carriers_.emplace_back();
  }
  // A new term is carried by no placed pod yet: its shape is being interned.
  affinity_term_counts_[id.index()] = {spec, std::vector<std::int32_t>(topology_.key(spec.key).values.size()), 0};
  if (reused) link(id);
  ++affinity_term_counts_made_;
  return id;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

void TopologyCounts::add_shape(ShapeId id) {
  if (links_.size() <= id.index()) links_.resize(id.index() + 1);
  Links links;
  const PodShape& shape = counted_.shapes.at(id);
  hold(links, AffinityTermKind::kRequiredAffinity, shape.required_affinity);
  hold(links, AffinityTermKind::kRequiredAntiAffinity, shape.required_anti_affinity);
  hold(links, AffinityTermKind::kPreferredAffinity, shape.preferred_affinity);
  hold(links, AffinityTermKind::kPreferredAntiAffinity, shape.preferred_anti_affinity);
  links_[id.index()] = std::move(links);
}

void TopologyCounts::hold(Links& links, AffinityTermKind kind, const std::vector<AffinityTerm>& terms) {
  for (const AffinityTerm& term : terms) {
    links.holds.push_back(intern(AffinityTermSpec{kind, term.term, term.key, term.weight}));
    ++carriers_[links.holds.back().index()];
  }
}

void TopologyCounts::forget_shape(ShapeId id) {
  for (const AffinityTermCountId held : links_[id.index()].holds) --carriers_[held.index()];
  links_[id.index()] = {};
}

void TopologyCounts::forget_matches(ShapeId id) {
  Links& links = links_[id.index()];
  links.counters.clear();
  links.affinity_term_counts.clear();
  links.counters_seen = links.affinity_term_counts_seen = 0;
}

bool TopologyCounts::matches(TermId id, const PodShape& shape) const {
  const PodTerm& wanted = term(id);
  const bool here = std::binary_search(wanted.namespaces.begin(), wanted.namespaces.end(), shape.name_space) ||
                    wanted.namespace_selector.matches(counted_.namespaces.labels(shape.name_space), counted_.symbols);
  return here && wanted.selector.matches(shape.labels, counted_.symbols);
}

bool TopologyCounts::matches(const CounterSpec& spec, const PodShape& shape) const {
  return !spec.all_of.empty() &&
         std::all_of(spec.all_of.begin(), spec.all_of.end(), [&](TermId term) { return matches(term, shape); });
}

const std::vector<CounterId>& TopologyCounts::counters_matching(ShapeId id) const {
  const Links& links = links_[id.index()];
  if (links.counters_seen == counters_.size()) return links.counters;
  const PodShape& shape = counted_.shapes.at(id);
  for (const CounterId each : counters_by_label_.candidates(shape.labels, links.counters_seen)) {
    if (matches(counters_[each.index()].spec, shape)) links.counters.push_back(each);
  }
  links.counters_seen = counters_.size();
  return links.counters;
}

std::vector<Label> TopologyCounts::needed_labels(const CounterSpec& spec) const {
  std::vector<Label> needed;
  for (const TermId id : spec.all_of) {
    const auto of_term = term(id).selector.needed_labels();
    needed.insert(needed.end(), of_term.begin(), of_term.end());
  }
  std::ranges::sort(needed);
  const auto repeated = std::ranges::unique(needed);
  needed.erase(repeated.begin(), repeated.end());
  return needed;
}

const std::vector<AffinityTermCountId>& TopologyCounts::matching_affinity_term_counts(ShapeId id) const {
  const PodShape& shape = counted_.shapes.at(id);
  const Links& links = links_[id.index()];
  for (; links.affinity_term_counts_seen < affinity_term_counts_.size(); ++links.affinity_term_counts_seen) {
    const AffinityTermSpec& spec = affinity_term_counts_[links.affinity_term_counts_seen].spec;
    if (spec.key.valid() && matches(spec.term, shape)) {
      links.affinity_term_counts.emplace_back(links.affinity_term_counts_seen);
    }
  }
  return links.affinity_term_counts;
}

/// An id that came free has a new meaning: shapes that have seen ids up to it learn of it.
void TopologyCounts::link(CounterId id) {
  counted_.shapes.for_each([&](ShapeId each, const PodShape& shape) {
    if (each.index() >= links_.size()) return;
    const Links& links = links_[each.index()];
    if (links.counters_seen <= id.index() || !matches(counters_[id.index()].spec, shape)) return;
    links.counters.insert(std::lower_bound(links.counters.begin(), links.counters.end(), id), id);
  });
}

void TopologyCounts::link(AffinityTermCountId id) {
  counted_.shapes.for_each([&](ShapeId each, const PodShape& shape) {
    if (each.index() >= links_.size()) return;
    const Links& links = links_[each.index()];
    if (links.affinity_term_counts_seen <= id.index()) return;
    if (!matches(affinity_term_counts_[id.index()].spec.term, shape)) return;
    auto& known = links.affinity_term_counts;
    known.insert(std::lower_bound(known.begin(), known.end(), id), id);
  });
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

void TopologyCounts::add_node(NodeId node) {
  if (topology_.join(node)) widen();
  for (Counter& counter : counters_) count_node(counter, node, 1);
}

void TopologyCounts::remove_node(NodeId node) {
  for (Counter& counter : counters_) count_node(counter, node, -1);
  topology_.leave(node);
}

/// Counts get room for domains that are new.
void TopologyCounts::widen() {
  for (Counter& counter : counters_) {
    if (!counter.spec.key.valid()) continue;
    counter.pods.resize(topology_.key(counter.spec.key).values.size());
    counter.nodes.resize(counter.pods.size());
  }
  for (AffinityTermCount& count : affinity_term_counts_) {
    if (count.spec.key.valid()) count.pods.resize(topology_.key(count.spec.key).values.size());
  }
}

void TopologyCounts::count_node(Counter& counter, NodeId node, std::int32_t sign) const {
  const CounterSpec& spec = counter.spec;
  if (!spec.key.valid()) return;  // was reclaimed
  const DomainId at = domain(spec, node);
  if (!at.valid() || (spec.filter.valid() && !topology_.nodes(spec.filter).contains(node))) return;
  std::int32_t& nodes = counter.nodes[at.index()];
  counter.domains -= nodes > 0 ? 1 : 0;
  nodes += sign;
  counter.domains += nodes > 0 ? 1 : 0;
}

void TopologyCounts::settle(const std::vector<Topology::KeyForm>& before, const std::vector<Topology::KeyForm>& after) {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const CounterSpec& spec = counters_[i].spec;
    if (!spec.key.valid() || !spec.absent_is_empty) continue;
    if (before[spec.key.index()].empty != after[spec.key.index()].empty) counters_[i] = recount(CounterId{i});
  }
}

// ---- pods -----------------------------------------------------------------------------------------------------------

bool TopologyCounts::counts(const CounterSpec& spec, const PodRecord& pod, NodeId node) const {
  if (spec.skip_terminating && pod.terminating) return false;
  return !spec.filter.valid() || topology_.nodes(spec.filter).contains(node);
}

void TopologyCounts::count(const PodRecord& pod, NodeId node, std::int32_t sign) {
  if (placed_.size() <= pod.shape.index()) placed_.resize(pod.shape.index() + 1);
  placed_[pod.shape.index()] += sign;
  for (const CounterId id : counters_matching(pod.shape)) {
    Counter& counter = counters_[id.index()];
    const DomainId at = domain(counter.spec, node);
    if (!at.valid() || !counts(counter.spec, pod, node)) continue;
    counter.pods[at.index()] += sign;
    counter.total += sign;
  }
  for (const AffinityTermCountId id : links_[pod.shape.index()].holds) {
    AffinityTermCount& affinity_term_count = affinity_term_counts_[id.index()];
    const DomainId at = domain(affinity_term_count.spec.key, node);
    if (!at.valid()) continue;
    affinity_term_count.pods[at.index()] += sign;
    affinity_term_count.total += sign;
  }
}

void TopologyCounts::count_pods_on(NodeId node, std::int32_t sign) {
  for (const PodId pod : counted_.requests.pods_on(node)) count(counted_.pods[pod.index()], node, sign);
}

Counter TopologyCounts::empty_counter(const CounterSpec& spec) const {
  Counter counter;
  counter.spec = spec;
  const TopologyKey& key = topology_.key(spec.key);
  counter.pods.assign(key.values.size(), 0);
  counter.nodes.assign(key.values.size(), 0);
  for (const NodeId node : counted_.nodes.in_order()) count_node(counter, node, 1);
  return counter;
}

bool TopologyCounts::may_count_some(const CounterSpec& spec) const {
  bool may = false;
  counted_.shapes.for_each_with(needed_labels(spec), [&](ShapeId id, const PodShape&) {
    may = may || (id.index() < placed_.size() && placed_[id.index()] > 0);
  });
  return may;
}

Counter TopologyCounts::recount(CounterId id) const {
  const CounterSpec& spec = counters_[id.index()].spec;
  if (!spec.key.valid()) return {};
  Counter counter = empty_counter(spec);
  const std::vector<Label> needed = needed_labels(spec);
  const auto may_match = [&](const PodShape& shape) {  // of a Service's counter, few of all pods do
    return std::ranges::all_of(needed,
                               [&](const auto& label) { return shape.labels.find(label.first) == label.second; });
  };
  for (const NodeId node : counted_.nodes.in_order()) {
    const DomainId at = domain(spec, node);
    if (!at.valid()) continue;
    for (const PodId pod : counted_.requests.pods_on(node)) {
      const PodRecord& record = counted_.pods[pod.index()];
      if (!may_match(counted_.shapes.at(record.shape))) continue;
      const std::vector<CounterId>& matching = counters_matching(record.shape);
      if (!std::binary_search(matching.begin(), matching.end(), id) || !counts(spec, record, node)) continue;
      ++counter.pods[at.index()];
      ++counter.total;
    }
  }
  return counter;
}

AffinityTermCount TopologyCounts::recount(AffinityTermCountId id) const {
  const AffinityTermSpec& spec = affinity_term_counts_[id.index()].spec;
  if (!spec.key.valid()) return {};
  AffinityTermCount result{spec, std::vector<std::int32_t>(topology_.key(spec.key).values.size()), 0};
  for (const NodeId node : counted_.nodes.in_order()) {
    const DomainId at = domain(spec.key, node);
    if (!at.valid()) continue;
    for (const PodId pod : counted_.requests.pods_on(node)) {
      const auto& holds = links_[counted_.pods[pod.index()].shape.index()].holds;
      const auto carried = static_cast<std::int32_t>(std::count(holds.begin(), holds.end(), id));
      result.pods[at.index()] += carried;
      result.total += carried;
    }
  }
  return result;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void TopologyCounts::reclaim() {
  reclaim_counters();
  reclaim_terms();
  ++reclaims_;
}

/// Counters that no caller asked for since the last time, and affinity term counts of terms that no shape carries.
void TopologyCounts::reclaim_counters() {
  const std::size_t unused = unused_counters_.size() + unused_affinity_term_counts_.size();
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const CounterId id{i};
    if (!is_counter(id) || counter_asked_[i] == reclaims_) continue;
    counter_ids_.erase(counters_[i].spec);
    counters_by_label_.remove(id, needed_labels(counters_[i].spec));
    counters_[i] = {};
    unused_counters_.give_back(id);
  }
  for (std::size_t i = 0; i < affinity_term_counts_.size(); ++i) {
    const AffinityTermCountId id{i};
    if (!is_affinity_term_count(id) || carriers_[i] > 0) continue;
    affinity_term_count_ids_.erase(affinity_term_counts_[i].spec);
    affinity_term_counts_[i] = {};
    unused_affinity_term_counts_.give_back(id);
  }
  if (unused_counters_.size() + unused_affinity_term_counts_.size() == unused) return;
  for (const Links& links : links_) {
    std::erase_if(links.counters, [&](CounterId id) { return !is_counter(id); });
    std::erase_if(links.affinity_term_counts, [&](AffinityTermCountId id) { return !is_affinity_term_count(id); });
  }
}

/// Terms and filters that no counter and no affinity term count is about. Every term that a shape carries has
/// an affinity term count.
void TopologyCounts::reclaim_terms() {
  std::vector<bool> terms(terms_.size()), filters(topology_.filters());
  for (const Counter& counter : counters_) {
    for (const TermId term : counter.spec.all_of) terms[term.index()] = true;
    if (counter.spec.filter.valid()) filters[counter.spec.filter.index()] = true;
  }
  for (const AffinityTermCount& affinity_term_count : affinity_term_counts_) {
    if (affinity_term_count.spec.key.valid()) terms[affinity_term_count.spec.term.index()] = true;
  }
  std::erase_if(term_ids_, [&](const auto& entry) {
    const TermId id = entry.second;
    if (terms[id.index()]) return false;
    terms_[id.index()] = {};
    unused_terms_.give_back(id);
    return true;
  });
  topology_.reclaim_filters(filters);
}

}  // namespace loadline::cluster
