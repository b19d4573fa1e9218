// The part of Cluster that forgets what nobody needs any more.
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
    for (const HolderId holder : links_[i].holds) --holder_shapes_[holder.index()];
    shape_by_key_.erase(shape_by_key_.find(*links_[i].key));
    shapes_[i].reset();
    links_[i] = {};
    unused_shapes_.give_back(ShapeId{i});
    --idle_shapes_;
  }
}

/// Counters that nobody asked for since the last time, and holders of terms that no shape carries.
void Cluster::reclaim_counters() {
  const std::size_t unused = unused_counters_.size() + unused_holders_.size();
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const CounterId id{i};
    if (!is_counter(id) || counter_asked_[i] == reclaims_) continue;
    counter_ids_.erase(counters_[i].spec);
    counters_[i] = {};
    unused_counters_.give_back(id);
  }
  for (std::size_t i = 0; i < holders_.size(); ++i) {
    const HolderId id{i};
    if (!is_holder(id) || holder_shapes_[i] > 0) continue;
    holder_ids_.erase(holders_[i].spec);
    holders_[i] = {};
    unused_holders_.give_back(id);
  }
  if (unused_counters_.size() + unused_holders_.size() == unused) return;
  for (ShapeLinks& links : links_) {
    std::erase_if(links.counters, [&](CounterId id) { return !is_counter(id); });
    std::erase_if(links.holders, [&](HolderId id) { return !is_holder(id); });
  }
}

/// Terms and filters that no counter and no holder is about. Whatever term a shape carries has a holder.
void Cluster::reclaim_terms() {
  std::vector<bool> terms(terms_.size()), filters(filters_.size());
  for (const Counter& counter : counters_) {
    for (const TermId term : counter.spec.all_of) terms[term.index()] = true;
    if (counter.spec.filter.valid()) filters[counter.spec.filter.index()] = true;
  }
  for (const Holder& holder : holders_) {
    if (holder.spec.key.valid()) terms[holder.spec.term.index()] = true;
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
