// The part of Cluster that forgets what no pod, shape or caller needs any more.
#include <algorithm>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::cluster {

void Cluster::reclaim() {
  reclaim_pods();
  reclaim_shapes();
  reclaim_counters();
  reclaim_terms();
  forget_unshared_specs();
  ++reclaims_;
}

void Cluster::reclaim_pods() {
  for (const PodId pod : dead_pods_) {
    pods_[pod.index()] = {};
    pods_[pod.index()].known = false;
    pod_names_[pod.index()] = {};
    unused_pods_.give_back(pod);
  }
  dead_pods_.clear();
}

void Cluster::reclaim_shapes() {
  for (std::size_t i = 0; i < shapes_.size() && idle_shapes_ > 0; ++i) {
    if (shapes_[i] == nullptr || links_[i].pods > 0) continue;
    for (const AffinityTermCountId affinity_term_count : links_[i].holds)
      --affinity_term_count_shapes_[affinity_term_count.index()];
    shape_by_key_.erase(shape_by_key_.find(*links_[i].key));
    shapes_[i].reset();
    links_[i] = {};
    unused_shapes_.give_back(ShapeId{i});
    --idle_shapes_;
  }
}

/// Counters that no caller asked for since the last time, and affinity term counts of terms that no shape carries.
void Cluster::reclaim_counters() {
  const std::size_t unused = unused_counters_.size() + unused_affinity_term_counts_.size();
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const CounterId id{i};
    if (!is_counter(id) || counter_asked_[i] == reclaims_) continue;
    counter_ids_.erase(counters_[i].spec);
    counters_[i] = {};
    unused_counters_.give_back(id);
  }
  for (std::size_t i = 0; i < affinity_term_counts_.size(); ++i) {
    const AffinityTermCountId id{i};
    if (!is_affinity_term_count(id) || affinity_term_count_shapes_[i] > 0) continue;
    affinity_term_count_ids_.erase(affinity_term_counts_[i].spec);
    affinity_term_counts_[i] = {};
    unused_affinity_term_counts_.give_back(id);
  }
  if (unused_counters_.size() + unused_affinity_term_counts_.size() == unused) return;
  for (ShapeLinks& links : links_) {
    std::erase_if(links.counters, [&](CounterId id) { return !is_counter(id); });
    std::erase_if(links.affinity_term_counts, [&](AffinityTermCountId id) { return !is_affinity_term_count(id); });
  }
}

/// Terms and filters that no counter and no affinity term count is about. Every term that a shape carries has
/// an affinity term count.
void Cluster::reclaim_terms() {
  std::vector<bool> terms(terms_.size()), filters(filters_.size());
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
  std::erase_if(filter_ids_, [&](const auto& entry) {
    const NodeFilterId id = entry.second;
    if (filters[id.index()]) return false;
    filters_[id.index()] = {{}, {}, false};
    unused_filters_.give_back(id);
    return true;
  });
}

}  // namespace loadline::cluster
