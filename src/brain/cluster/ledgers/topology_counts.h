#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "brain/cluster/facts/namespaces.h"
#include "brain/cluster/facts/topology.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/ledgers/counters.h"
#include "brain/cluster/ledgers/counters_by_label.h"
#include "brain/cluster/ledgers/node_requests.h"
#include "brain/cluster/node_table.h"
#include "brain/cluster/pod_record.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/shapes/shapes.h"
#include "brain/cluster/unused_ids.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

/// The ledger of affinity and spreading: how many pods that match terms, or carry an affinity term, are in each domain
/// of a topology key. A pod counts in all that its shape matches; which these are is found once a shape.
class TopologyCounts {
 public:
  /// What is counted, which outlives it.
  struct Counted {
    const NodeTable& nodes;
    const NodeRequests& requests;
    const std::vector<PodRecord>& pods;
    const Shapes& shapes;
    const Namespaces& namespaces;
    const SymbolTable& symbols;
  };
  TopologyCounts(Topology& topology, const Counted& counted) : topology_(topology), counted_(counted) {}

  TermId intern(const PodTerm& term);
  /// Counts on first use: O(placed pods) if one of them may be counted. Afterwards current until it is reclaimed.
  CounterId intern(const CounterSpec& spec);

  [[nodiscard]] const PodTerm& term(TermId id) const {
    REQUIRES_SLOW(id.index() < terms_.size());
    return terms_[id.index()];
  }
  [[nodiscard]] const std::vector<PodTerm>& terms() const { return terms_; }
  [[nodiscard]] const Counter& counter(CounterId id) const {
    REQUIRES_SLOW(id.index() < counters_.size());
    return counters_[id.index()];
  }
  [[nodiscard]] const AffinityTermCount& affinity_term_count(AffinityTermCountId id) const {
    REQUIRES_SLOW(id.index() < affinity_term_counts_.size());
    return affinity_term_counts_[id.index()];
  }
  [[nodiscard]] std::size_t counter_slots() const { return counters_.size(); }
  [[nodiscard]] std::size_t affinity_term_count_slots() const { return affinity_term_counts_.size(); }
  [[nodiscard]] bool is_counter(CounterId id) const { return counter(id).spec.key.valid(); }
  [[nodiscard]] bool is_affinity_term_count(AffinityTermCountId id) const {
    return affinity_term_count(id).spec.key.valid();
  }
  [[nodiscard]] std::uint64_t affinity_term_counts_made() const { return affinity_term_counts_made_; }

  // ---- shapes ------------------------------------------------------------------------------------------------------
  [[nodiscard]] bool matches(TermId id, const PodShape& shape) const;
  /// The affinity term counts whose term matches pods of the shape. Amortised O(1).
  [[nodiscard]] const std::vector<AffinityTermCountId>& matching_affinity_term_counts(ShapeId shape) const;
  /// The shape is new: the terms that its pods carry are counted from now on.
  void add_shape(ShapeId id);
  void forget_shape(ShapeId id);
  /// What the shape matches has to be found anew. REQUIRES: no pod of it counts.
  void forget_matches(ShapeId id);

  // ---- pods and nodes ----------------------------------------------------------------------------------------------
  /// Adds the pod to every count it takes part in (`sign` 1), or takes it out (-1).
  void count(const PodRecord& pod, NodeId node, std::int32_t sign);
  /// The same for all pods on the node.
  void count_pods_on(NodeId node, std::int32_t sign);
  /// The node, on which no pod counts yet, comes where its facts say it is.
  void add_node(NodeId node);
  /// The node, on which no pod counts any more, is nowhere.
  void remove_node(NodeId node);
  /// Counts anew what counts nodes without the key where nodes with an empty value are, and these moved.
  void settle(const std::vector<Topology::KeyForm>& before, const std::vector<Topology::KeyForm>& after);

  // ---- memory ------------------------------------------------------------------------------------------------------
  /// The counter will be asked for again: it stays in the next reclaim().
  void keep(CounterId id) {
    REQUIRES_SLOW(id.index() < counter_asked_.size());
    counter_asked_[id.index()] = reclaims_;
  }
  /// Forgets counters that no caller asked for since the last time, terms that no shape carries, and what only these
  /// were about. O(shapes + terms + counters).
  void reclaim();
  [[nodiscard]] std::uint64_t reclaims() const { return reclaims_; }

  /// Recounts from the pods on the nodes.
  [[nodiscard]] Counter recount(CounterId id) const;
  [[nodiscard]] AffinityTermCount recount(AffinityTermCountId id) const;

 private:
  /// What a shape has to do with counts.
  struct Links {
    std::vector<AffinityTermCountId> holds;  // the terms that pods of the shape carry
    // Counters and affinity term counts that match the shape, in order, extended lazily up to the sizes seen.
    mutable std::vector<CounterId> counters;
    mutable std::size_t counters_seen = 0;
    mutable std::vector<AffinityTermCountId> affinity_term_counts;
    mutable std::size_t affinity_term_counts_seen = 0;
  };

  AffinityTermCountId intern(const AffinityTermSpec& spec);
  void hold(Links& links, AffinityTermKind kind, const std::vector<AffinityTerm>& terms);
  [[nodiscard]] bool matches(const CounterSpec& spec, const PodShape& shape) const;
  const std::vector<CounterId>& counters_matching(ShapeId id) const;
  [[nodiscard]] std::vector<Label> needed_labels(const CounterSpec& spec) const;
  void link(CounterId id);
  void link(AffinityTermCountId id);
  [[nodiscard]] DomainId domain(TopologyKeyId key, NodeId node) const {
    return topology_.key(key).domain_of[node.index()];
  }
  [[nodiscard]] DomainId domain(const CounterSpec& spec, NodeId node) const {
    const TopologyKey& key = topology_.key(spec.key);
    const DomainId own = key.domain_of[node.index()];
    return own.valid() || !spec.absent_is_empty ? own : key.empty;
  }
  void widen();
  void count_node(Counter& counter, NodeId node, std::int32_t sign) const;
  [[nodiscard]] Counter empty_counter(const CounterSpec& spec) const;
  /// Whether a placed pod has the labels that all have which it counts.
  [[nodiscard]] bool may_count_some(const CounterSpec& spec) const;
  [[nodiscard]] bool counts(const CounterSpec& spec, const PodRecord& pod, NodeId node) const;
  void reclaim_counters();
  void reclaim_terms();

  Topology& topology_;
  Counted counted_;
  std::vector<std::int32_t> placed_;  // by shape: pods on nodes
  std::vector<PodTerm> terms_;
  std::map<PodTerm, TermId> term_ids_;
  UnusedIds<TermId> unused_terms_;
  std::vector<Counter> counters_;
  std::vector<std::uint64_t> counter_asked_;  // by counter: reclaims_ when it was last asked for
  std::map<CounterSpec, CounterId> counter_ids_;
  UnusedIds<CounterId> unused_counters_;
  CountersByLabel counters_by_label_;  // those in use
  std::vector<AffinityTermCount> affinity_term_counts_;
  std::vector<std::uint32_t> carriers_;  // by affinity term count: shapes that carry the term
  std::map<AffinityTermSpec, AffinityTermCountId> affinity_term_count_ids_;
  UnusedIds<AffinityTermCountId> unused_affinity_term_counts_;
  std::uint64_t affinity_term_counts_made_ = 0;
  std::uint64_t reclaims_ = 0;
  std::vector<Links> links_;  // by shape
};

}  // namespace loadline::cluster
