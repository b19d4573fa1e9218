#include "brain/placement/plugins/inter_pod_affinity.h"

#include <algorithm>
#include <limits>

#include "brain/placement/cycle.h"
#include "objects/kube/selector_text.h"

namespace loadline::placement {

struct InterPodAffinity::FilterState final : PluginState {
  std::vector<cluster::CounterId> affinity;                 // pods matching all terms, one counter per term's key
  std::vector<cluster::CounterId> anti_affinity;            // one per term
  std::vector<cluster::AffinityTermCountId> existing_anti;  // placed pods' required anti-affinity that matches this pod
  bool matches_itself = false;
  RejectionId no_affinity, anti, existing;
};

/// What weighs in, by id: counts move when another plugin makes the cluster count something new.
struct InterPodAffinity::ScoreState final : PluginState {
  std::vector<std::pair<cluster::CounterId, std::int64_t>> counters;
  std::vector<std::pair<cluster::AffinityTermCountId, std::int64_t>> affinity_term_counts;
};

namespace {

/// `terms` are in order, each once.
cluster::CounterId count_matching(Cycle& cycle, std::vector<cluster::TermId> terms, cluster::TopologyKeyId key) {
  cluster::CounterSpec spec;
  spec.all_of = std::move(terms);
  spec.key = key;
  return cycle.cluster().intern(spec);
}

/// Pods that match all of the required terms, one counter per term's key: terms of one key have the same.
std::vector<cluster::CounterId> required_affinity_counters(Cycle& cycle) {
  const std::vector<cluster::AffinityTerm>& required = cycle.shape().required_affinity;
  std::vector<cluster::TermId> all_terms;
  for (const cluster::AffinityTerm& term : required) all_terms.push_back(term.term);
  std::sort(all_terms.begin(), all_terms.end());
  all_terms.erase(std::unique(all_terms.begin(), all_terms.end()), all_terms.end());
  std::vector<cluster::CounterId> counters;
  for (std::size_t i = 0; i < required.size(); ++i) {
    std::size_t first = 0;
    while (required[first].key != required[i].key) ++first;
    counters.push_back(first < i ? counters[first] : count_matching(cycle, all_terms, required[i].key));
  }
  return counters;
}

}  // namespace

Locality InterPodAffinity::sign(Cycle& cycle, Signature& signature) const {
  const cluster::PodShape& shape = cycle.shape();
  std::vector<cluster::CounterId> counters;
  for (const cluster::CounterId id : required_affinity_counters(cycle)) counters.push_back(id);
  for (const auto* terms : {&shape.required_anti_affinity, &shape.preferred_affinity, &shape.preferred_anti_affinity}) {
    for (const cluster::AffinityTerm& term : *terms) counters.push_back(count_matching(cycle, {term.term}, term.key));
  }
  Locality locality = counters.empty() ? Locality::kNode : Locality::kTopology;
  const cluster::Cluster& cluster = cycle.cluster();
  for (const cluster::CounterId id : counters) signature.differ_by(cluster, id);
  for (const cluster::AffinityTermCountId id : cluster.matching_affinity_term_counts(cycle.record().shape)) {
    const cluster::AffinityTermSpec& spec = cluster.affinity_term_count(id).spec;
    if (spec.kind != cluster::AffinityTermKind::kRequiredAntiAffinity && weight_of(spec) == 0) continue;
    signature.differ_by(cluster, id);
    locality = Locality::kTopology;
  }
  return locality;
}

// ---- Filter ---------------------------------------------------------------------------------------------------------

PreFilterResult InterPodAffinity::pre_filter(Cycle& cycle) const {
  const cluster::PodShape& shape = cycle.shape();
  FilterState& state = cycle.state<FilterState>(this);
  bool kept_out = false;
  for (const cluster::AffinityTermCountId id : cycle.cluster().matching_affinity_term_counts(cycle.record().shape)) {
    const cluster::AffinityTermCount& affinity_term_count = cycle.cluster().affinity_term_count(id);
    if (affinity_term_count.spec.kind != cluster::AffinityTermKind::kRequiredAntiAffinity) continue;
    state.existing_anti.push_back(id);
    kept_out = kept_out || affinity_term_count.total > 0;
  }
  if (!kept_out && shape.required_affinity.empty() && shape.required_anti_affinity.empty()) {
    return PreFilterResult::skipped();
  }
  state.matches_itself = true;
  for (const cluster::AffinityTerm& term : shape.required_affinity) {
    state.matches_itself = state.matches_itself && cycle.cluster().matches(term.term, shape);
  }
  state.affinity = required_affinity_counters(cycle);
  for (const cluster::AffinityTerm& term : shape.required_anti_affinity) {
    state.anti_affinity.push_back(count_matching(cycle, {term.term}, term.key));
  }
  state.no_affinity = cycle.reject(*this, Code::kUnresolvable, ReasonKind::kPodAffinity);
  state.anti = cycle.reject(*this, Code::kUnschedulable, ReasonKind::kPodAntiAffinity);
  state.existing = cycle.reject(*this, Code::kUnschedulable, ReasonKind::kExistingAntiAffinity);
  return PreFilterResult::go_on();
}

RejectionId InterPodAffinity::filter(Cycle& cycle, cluster::NodeId node) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const FilterState& state = cycle.state<FilterState>(this);
  const auto domain_of = [&](cluster::TopologyKeyId key) { return cluster.topology_key(key).domain_of[node.index()]; };

  bool is_matched = true;
  std::int64_t anywhere = 0;
  for (const cluster::CounterId id : state.affinity) {
    const cluster::Counter& counter = cluster.counter(id);
    const cluster::DomainId domain = domain_of(counter.spec.key);
    if (!domain.valid()) return state.no_affinity;
    is_matched = is_matched && counter.pods[domain.index()] > 0;
    anywhere += counter.total;
  }
  // The first pod of a group whose affinity terms match the group itself may go anywhere.
  if (!is_matched && !(anywhere == 0 && state.matches_itself)) return state.no_affinity;

  for (const cluster::CounterId id : state.anti_affinity) {
    const cluster::Counter& counter = cluster.counter(id);
    const cluster::DomainId domain = domain_of(counter.spec.key);
    if (domain.valid() && counter.pods[domain.index()] > 0) return state.anti;
  }
  for (const cluster::AffinityTermCountId id : state.existing_anti) {
    const cluster::AffinityTermCount& affinity_term_count = cluster.affinity_term_count(id);
    const cluster::DomainId domain = domain_of(affinity_term_count.spec.key);
    if (domain.valid() && affinity_term_count.pods[domain.index()] > 0) return state.existing;
  }
  return kPassed;
}

namespace {

/// What the i-th term of the pod's own spec selects; empty if the spec has none such.
std::string term_text(const std::optional<kube::PodAffinity>& affinity, std::size_t i) {
  if (!affinity || i >= affinity->required.size()) return "";
  const kube::PodAffinityTerm& term = affinity->required[i];
  return term.label_selector ? kube::to_text(*term.label_selector) : "";
}

/// A pod on the node that carries the term, as "namespace/name"; empty: it is elsewhere in the domain.
std::string carrier_of(const cluster::Cluster& cluster, const cluster::AffinityTermSpec& spec, cluster::NodeId node) {
  for (const cluster::PodId pod : cluster.pods_on(node)) {
    for (const cluster::AffinityTerm& term : cluster.shape_of(pod).required_anti_affinity) {
      if (term.term == spec.term && term.key == spec.key) return cluster.pod_text(pod);
    }
  }
  return "";
}

}  // namespace

void InterPodAffinity::explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const FilterState& state = cycle.state<FilterState>(this);
  const std::optional<kube::Affinity>& affinity = cycle.shape().spec->affinity;
  const auto add = [&](ReasonKind kind, cluster::TopologyKeyId key) -> Obstacle& {
    Obstacle& obstacle = obstacles.emplace_back();
    obstacle.plugin = name();
    obstacle.reason = {kind, ""};
    obstacle.code = kind == ReasonKind::kPodAffinity ? Code::kUnresolvable : Code::kUnschedulable;
    const cluster::TopologyKey& topology = cluster.topology_key(key);
    obstacle.subject = cluster.symbols().text(topology.key);
    const cluster::DomainId domain = topology.domain_of[node.index()];
    if (domain.valid()) obstacle.found = cluster.symbols().text(topology.values[domain.index()]);
    return obstacle;
  };
  const auto pods_near = [&](const auto& counted) {
    const cluster::DomainId domain = cluster.topology_key(counted.spec.key).domain_of[node.index()];
    return domain.valid() ? std::int64_t{counted.pods[domain.index()]} : std::int64_t{0};
  };
  const RejectionId rejection = filter(cycle, node);
  for (std::size_t i = 0; rejection == state.no_affinity && i < state.affinity.size(); ++i) {
    const cluster::Counter& counter = cluster.counter(state.affinity[i]);
    if (pods_near(counter) > 0) continue;
    Obstacle& obstacle = add(ReasonKind::kPodAffinity, counter.spec.key);
    obstacle.wanted = affinity ? term_text(affinity->pod, i) : "";
    obstacle.needs = counter.total;
  }
  for (std::size_t i = 0; i < state.anti_affinity.size(); ++i) {
    const cluster::Counter& counter = cluster.counter(state.anti_affinity[i]);
    const std::int64_t pods = pods_near(counter);
    if (pods == 0) continue;
    Obstacle& obstacle = add(ReasonKind::kPodAntiAffinity, counter.spec.key);
    obstacle.wanted = affinity ? term_text(affinity->pod_anti, i) : "";
    obstacle.has = pods;
  }
  for (const cluster::AffinityTermCountId id : state.existing_anti) {
    const cluster::AffinityTermCount& affinity_term_count = cluster.affinity_term_count(id);
    if (pods_near(affinity_term_count) == 0) continue;
    add(ReasonKind::kExistingAntiAffinity, affinity_term_count.spec.key).wanted =
        carrier_of(cluster, affinity_term_count.spec, node);
  }
}

// ---- Score ----------------------------------------------------------------------------------------------------------

bool InterPodAffinity::pre_score(Cycle& cycle, const FeasibleNodes&) const {
  const cluster::PodShape& shape = cycle.shape();
  const bool prefers = !shape.preferred_affinity.empty() || !shape.preferred_anti_affinity.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !prefers) return false;

  ScoreState& state = cycle.state<ScoreState>(this);
  const auto add_counter = [&](const cluster::AffinityTerm& term, std::int64_t weight) {
    const cluster::CounterId id = count_matching(cycle, {term.term}, term.key);
    if (cycle.cluster().counter(id).total > 0) state.counters.emplace_back(id, weight);
  };
  for (const cluster::AffinityTerm& term : shape.preferred_affinity) add_counter(term, term.weight);
  for (const cluster::AffinityTerm& term : shape.preferred_anti_affinity) add_counter(term, -term.weight);

  const cluster::Cluster& cluster = cycle.cluster();
  for (const cluster::AffinityTermCountId id : cluster.matching_affinity_term_counts(cycle.record().shape)) {
    const cluster::AffinityTermCount& affinity_term_count = cluster.affinity_term_count(id);
    if (const std::int64_t weight = weight_of(affinity_term_count.spec); weight != 0 && affinity_term_count.total > 0) {
      state.affinity_term_counts.emplace_back(id, weight);
    }
  }
  return !state.counters.empty() || !state.affinity_term_counts.empty();
}

/// What each pod that carries the term adds to its domain.
std::int64_t InterPodAffinity::weight_of(const cluster::AffinityTermSpec& spec) const {
  switch (spec.kind) {
    case cluster::AffinityTermKind::kRequiredAffinity:
      return std::max(args_.hard_pod_affinity_weight, 0);
    case cluster::AffinityTermKind::kPreferredAffinity:
      return spec.weight;
    case cluster::AffinityTermKind::kPreferredAntiAffinity:
      return -spec.weight;
    case cluster::AffinityTermKind::kRequiredAntiAffinity:
      break;
  }
  return 0;
}

void InterPodAffinity::score(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                             std::span<std::int64_t> scores) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const auto add = [&](const std::vector<std::int32_t>& pods, cluster::TopologyKeyId key, std::int64_t weight) {
    const std::vector<cluster::DomainId>& domain_of = cluster.topology_key(key).domain_of;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const cluster::DomainId domain = domain_of[nodes[i].index()];
      if (domain.valid()) scores[i] += weight * pods[domain.index()];
    }
  };
  const ScoreState& state = cycle.state<ScoreState>(this);
  for (const auto& [id, weight] : state.counters) add(cluster.counter(id).pods, cluster.counter(id).spec.key, weight);
  for (const auto& [id, weight] : state.affinity_term_counts)
    add(cluster.affinity_term_count(id).pods, cluster.affinity_term_count(id).spec.key, weight);
}

void InterPodAffinity::normalize(Cycle&, std::span<const cluster::NodeId>, std::span<std::int64_t> scores) const {
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  const std::int64_t minimum = *least;
  const std::int64_t range = *most - minimum;
  for (std::int64_t& score : scores) {
    double normalized = 0;
    if (range > 0) {
      normalized =
          static_cast<double>(kMaxNodeScore) * (static_cast<double>(score - minimum) / static_cast<double>(range));
    }
    score = static_cast<std::int64_t>(normalized);
  }
}

std::unique_ptr<Plugin> make_inter_pod_affinity(const kube::PluginArgs& args) {
  return std::make_unique<InterPodAffinity>(args.inter_pod_affinity);
}

}  // namespace loadline::placement
