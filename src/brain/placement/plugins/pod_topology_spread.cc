#include "brain/placement/plugins/pod_topology_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brain/cluster/facts/zone_labels.h"
#include "brain/cluster/shapes/shape_compiler.h"
#include "brain/placement/cycle.h"
#include "objects/kube/selector_text.h"

namespace loadline::placement {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

std::vector<kube::TopologySpreadConstraint> system_defaults() {
  std::vector<kube::TopologySpreadConstraint> constraints(2);
  constraints[0].topology_key = kHostname;
  constraints[0].max_skew = 3;
  constraints[1].topology_key = cluster::kZoneLabel;
  constraints[1].max_skew = 5;
  for (auto& constraint : constraints) constraint.when_unsatisfiable = kube::UnsatisfiableAction::kScheduleAnyway;
  return constraints;
}

/// The label selector of the n-th constraint that refuses nodes.
std::string hard_selector_text(const std::vector<kube::TopologySpreadConstraint>& constraints, std::size_t n) {
  for (const kube::TopologySpreadConstraint& constraint : constraints) {
    if (constraint.when_unsatisfiable != kube::UnsatisfiableAction::kDoNotSchedule) continue;
    if (n-- == 0) return constraint.label_selector ? kube::to_text(*constraint.label_selector) : "";
  }
  return "";
}

}  // namespace

struct PodTopologySpread::Constraint {
  std::int64_t max_skew = 1;
  cluster::TopologyKeyId key;
  bool hostname = false;
  cluster::PodSelector selector;
  std::int32_t min_domains = 1;
  bool honor_affinity = true;
  bool honor_taints = false;
  cluster::CounterId counter;

  std::int32_t self = 0;  // 1 if the pod matches its own selector
  // What the dry run of upstream counts beyond the cluster's counters, on the one domain it concerns: see follow().
  cluster::DomainId adjusted;
  std::int32_t adjustment = 0;
  double weight = 0;  // of scoring: ln(domains + 2)

  [[nodiscard]] std::int64_t pods_in(const cluster::Cluster& cluster, cluster::DomainId domain) const {
    return cluster.counter(counter).pods[domain.index()] + (adjusted == domain ? adjustment : 0);
  }
  /// With the pod in the domain, where the emptiest domain holds `minimum`.
  [[nodiscard]] std::int64_t skew(const cluster::Cluster& cluster, cluster::DomainId domain,
                                  std::int64_t minimum) const {
    return pods_in(cluster, domain) + self - minimum;
  }
};

struct PodTopologySpread::FilterState final : PluginState {
  std::vector<Constraint> constraints;
  std::vector<std::int64_t> minimum;  // by constraint; valid while `fresh`
  bool fresh = false;
  RejectionId label_missing, skewed;
};

struct PodTopologySpread::ScoreState final : PluginState {
  std::vector<Constraint> constraints;
  std::vector<bool> ignored;  // by position among the feasible nodes
};

PodTopologySpread::PodTopologySpread(const kube::PodTopologySpreadArgs& args)
    : defaults_(args.defaulting == kube::SpreadDefaulting::kSystem ? system_defaults() : args.default_constraints),
      system_defaults_(args.defaulting == kube::SpreadDefaulting::kSystem) {}

bool PodTopologySpread::has_hard_defaults() const {
  return std::ranges::any_of(defaults_, [](const kube::TopologySpreadConstraint& constraint) {
    return constraint.when_unsatisfiable == kube::UnsatisfiableAction::kDoNotSchedule;
  });
}

std::vector<PodTopologySpread::Constraint> PodTopologySpread::constraints(Cycle& cycle,
                                                                          kube::UnsatisfiableAction action) const {
  const cluster::PodShape& shape = cycle.shape();
  SymbolTable& symbols = cycle.cluster().symbols();
  const bool own = !shape.spread.empty();
  cluster::PodSelector owners;
  if (!own) {
    if (defaults_.empty()) return {};
    owners = cycle.cluster().owner_selector(cycle.record().shape);
    if (owners.empty()) return {};
  }
  std::vector<Constraint> compiled;
  for (const kube::TopologySpreadConstraint& constraint : own ? shape.spread : defaults_) {
    if (constraint.when_unsatisfiable != action) continue;
    Constraint entry;
    entry.max_skew = constraint.max_skew;
    entry.key = cycle.cluster().intern_topology_key(symbols.intern(constraint.topology_key));
    entry.hostname = constraint.topology_key == kHostname;
    entry.selector = own ? cluster::spread_selector(constraint, shape.labels, symbols) : owners;
    entry.min_domains = constraint.min_domains.value_or(1);
    entry.honor_affinity = constraint.node_affinity_policy == kube::NodeInclusionPolicy::kHonor;
    entry.honor_taints = constraint.node_taints_policy == kube::NodeInclusionPolicy::kHonor;
    entry.self = entry.selector.matches(shape.labels, symbols) ? 1 : 0;
    compiled.push_back(std::move(entry));
  }
  return compiled;
}

/// Finds the counter of matching pods by domain, over the nodes that the constraint's policies admit.
void PodTopologySpread::count_on(Cycle& cycle, Constraint& constraint,
                                 const std::vector<cluster::TopologyKeyId>& required_keys) const {
  const cluster::PodShape& shape = cycle.shape();
  cluster::NodeFilter filter;
  filter.required_keys = required_keys;
  if (constraint.honor_affinity && !shape.node_affinity.unconstrained()) filter.affinity = shape.node_affinity;
  if (constraint.honor_taints) filter.tolerations = shape.tolerations;
  cluster::CounterSpec spec;
  spec.key = constraint.key;
  spec.filter = cycle.cluster().intern(filter);
  spec.skip_terminating = true;
  spec.absent_is_empty = required_keys.empty();
  // Upstream counts no pod for the empty selector, although it matches all of them (changed in 1.38).
  if (!constraint.selector.empty()) {
    spec.all_of = {cycle.cluster().intern(cluster::PodTerm{{shape.name_space}, {}, constraint.selector})};
  }
  constraint.counter = cycle.cluster().intern(spec);
}

Locality PodTopologySpread::sign(Cycle& cycle, Signature& signature) const {
  Locality locality = Locality::kNode;
  for (const auto action : {kube::UnsatisfiableAction::kDoNotSchedule, kube::UnsatisfiableAction::kScheduleAnyway}) {
    std::vector<Constraint> compiled = constraints(cycle, action);
    const bool hard = action == kube::UnsatisfiableAction::kDoNotSchedule;
    const std::vector<cluster::TopologyKeyId> keys = required_keys(cycle, compiled, hard);
    for (Constraint& constraint : compiled) {
      locality = Locality::kTopology;
      count_on(cycle, constraint, keys);
      signature.differ_by(cycle.cluster(), constraint.counter);
      if (hard || !count_by_node(cycle, constraint)) continue;
      signature.differ_by(cycle.cluster(), constraint.counter);
    }
  }
  return locality;
}

/// The keys that a node must have to be looked at. The system's defaults apply to clusters without zones too, so a
/// missing key does not disqualify a node there.
std::vector<cluster::TopologyKeyId> PodTopologySpread::required_keys(const Cycle& cycle,
                                                                     const std::vector<Constraint>& constraints,
                                                                     bool hard) const {
  std::vector<cluster::TopologyKeyId> keys;
  if (!hard && cycle.shape().spread.empty() && system_defaults_) return keys;
  for (const Constraint& constraint : constraints) keys.push_back(constraint.key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Scoring counts per node rather than per hostname: all pods there, whatever the node policies say. False: it is no
/// constraint on hostnames, or counts nothing.
bool PodTopologySpread::count_by_node(Cycle& cycle, Constraint& constraint) const {
  if (!constraint.hostname || constraint.selector.empty()) return false;
  cluster::CounterSpec spec;
  spec.key = cluster::kEachNode;
  spec.skip_terminating = true;
  spec.all_of = cycle.cluster().counter(constraint.counter).spec.all_of;
  constraint.counter = cycle.cluster().intern(spec);
  return true;
}

// ---- Filter ---------------------------------------------------------------------------------------------------------

PreFilterResult PodTopologySpread::pre_filter(Cycle& cycle) const {
  std::vector<Constraint> hard = constraints(cycle, kube::UnsatisfiableAction::kDoNotSchedule);
  if (hard.empty()) return PreFilterResult::skipped();
  const std::vector<cluster::TopologyKeyId> keys = required_keys(cycle, hard, true);
  for (Constraint& constraint : hard) count_on(cycle, constraint, keys);

  FilterState& state = cycle.state<FilterState>(this);
  state.constraints = std::move(hard);
  state.label_missing = cycle.reject(*this, Code::kUnresolvable, ReasonKind::kSpreadLabelMissing);
  state.skewed = cycle.reject(*this, Code::kUnschedulable, ReasonKind::kSpreadSkew);
  return PreFilterResult::go_on();
}

RejectionId PodTopologySpread::filter(Cycle& cycle, cluster::NodeId node) const {
  const cluster::Cluster& cluster = cycle.cluster();
  FilterState& state = cycle.state<FilterState>(this);
  if (!state.fresh) find_minima(cluster, state);
  for (std::size_t i = 0; i < state.constraints.size(); ++i) {
    const Constraint& constraint = state.constraints[i];
    const cluster::DomainId domain = cluster.topology_key(constraint.key).domain_of[node.index()];
    if (!domain.valid()) return state.label_missing;
    if (constraint.skew(cluster, domain, state.minimum[i]) > constraint.max_skew) return state.skewed;
  }
  return kPassed;
}

/// The fewest matching pods that any domain holds, by constraint.
void PodTopologySpread::find_minima(const cluster::Cluster& cluster, FilterState& state) {
  state.minimum.clear();
  for (const Constraint& constraint : state.constraints) {
    const cluster::Counter& counter = cluster.counter(constraint.counter);
    std::int64_t minimum = std::numeric_limits<std::int32_t>::max();
    for (std::size_t d = 0; d < counter.pods.size(); ++d) {
      if (counter.nodes[d] > 0) minimum = std::min(minimum, constraint.pods_in(cluster, cluster::DomainId{d}));
    }
    state.minimum.push_back(counter.domains < constraint.min_domains ? 0 : minimum);
  }
  state.fresh = true;
}

/// The value of a domain that holds the fewest matching pods; empty if domains are missing rather than empty.
std::string_view PodTopologySpread::emptiest(const cluster::Cluster& cluster, const Constraint& constraint,
                                             std::int64_t minimum) {
  const cluster::Counter& counter = cluster.counter(constraint.counter);
  for (std::size_t d = 0; d < counter.pods.size(); ++d) {
    const bool least = counter.nodes[d] > 0 && constraint.pods_in(cluster, cluster::DomainId{d}) == minimum;
    if (least) return cluster.symbols().text(cluster.topology_key(constraint.key).values[d]);
  }
  return "";
}

void PodTopologySpread::explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const {
  const cluster::Cluster& cluster = cycle.cluster();
  FilterState& state = cycle.state<FilterState>(this);
  if (!state.fresh) find_minima(cluster, state);
  for (std::size_t i = 0; i < state.constraints.size(); ++i) {
    const Constraint& constraint = state.constraints[i];
    const cluster::TopologyKey& key = cluster.topology_key(constraint.key);
    const cluster::DomainId domain = key.domain_of[node.index()];
    if (domain.valid() && constraint.skew(cluster, domain, state.minimum[i]) <= constraint.max_skew) continue;
    Obstacle& obstacle = obstacles.emplace_back();
    obstacle.plugin = name();
    obstacle.subject = cluster.symbols().text(key.key);
    if (!cycle.shape().spread.empty()) obstacle.wanted = hard_selector_text(cycle.shape().spread, i);
    obstacle.of = constraint.max_skew;
    if (domain.valid()) {
      obstacle.reason = {ReasonKind::kSpreadSkew, std::string(emptiest(cluster, constraint, state.minimum[i]))};
      obstacle.found = cluster.symbols().text(key.values[domain.index()]);
      obstacle.has = constraint.pods_in(cluster, domain);
      obstacle.needs = state.minimum[i];
    } else {
      obstacle.code = Code::kUnresolvable;
      obstacle.reason = {ReasonKind::kSpreadLabelMissing, ""};
    }
  }
}

/// The counters follow tentative moves by themselves. Upstream's dry run also counts pods there that its full count
/// leaves out: terminating ones, and every pod if the selector is empty.
void PodTopologySpread::follow(Cycle& cycle, cluster::PodId pod, cluster::NodeId node, std::int32_t sign) const {
  FilterState& state = cycle.state<FilterState>(this);
  state.fresh = false;
  const cluster::Cluster& cluster = cycle.cluster();
  const cluster::PodShape& moved = cluster.shape_of(pod);
  if (moved.name_space != cycle.shape().name_space) return;
  const bool terminating = cluster.pod(pod).terminating;
  for (Constraint& constraint : state.constraints) {
    if (!terminating && !constraint.selector.empty()) continue;
    const cluster::Counter& counter = cluster.counter(constraint.counter);
    if (!cluster.filtered_nodes(counter.spec.filter).contains(node)) continue;
    if (!constraint.selector.matches(moved.labels, cluster.symbols())) continue;
    constraint.adjusted = cluster.topology_key(constraint.key).domain_of[node.index()];
    constraint.adjustment += sign;
  }
}

void PodTopologySpread::pod_added(Cycle& cycle, cluster::PodId pod, cluster::NodeId node) const {
  follow(cycle, pod, node, 1);
}

void PodTopologySpread::pod_removed(Cycle& cycle, cluster::PodId pod, cluster::NodeId node) const {
  follow(cycle, pod, node, -1);
}

// ---- Score ----------------------------------------------------------------------------------------------------------

bool PodTopologySpread::pre_score(Cycle& cycle, const FeasibleNodes& feasible) const {
  std::vector<Constraint> soft = constraints(cycle, kube::UnsatisfiableAction::kScheduleAnyway);
  if (soft.empty()) return false;
  const std::vector<cluster::TopologyKeyId> keys = required_keys(cycle, soft, false);
  const std::span<const cluster::NodeId> nodes = feasible.nodes;
  const cluster::Cluster& cluster = cycle.cluster();
  for (Constraint& constraint : soft) count_on(cycle, constraint, keys);

  ScoreState& state = cycle.state<ScoreState>(this);
  state.ignored.assign(nodes.size(), false);
  std::size_t heeded = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const cluster::TopologyKeyId key : keys) {
      if (!cluster.topology_key(key).domain_of[nodes[i].index()].valid()) state.ignored[i] = true;
    }
    if (!state.ignored[i]) heeded += feasible.count(i);
  }
  for (Constraint& constraint : soft) {
    std::size_t domains = heeded;
    if (!constraint.hostname) {
      const cluster::TopologyKey& key = cluster.topology_key(constraint.key);
      // Nodes without the key are a domain to upstream: that of the empty text, or one of their own.
      const std::size_t absent = key.empty.valid() ? key.empty.index() : key.values.size();
      std::vector<bool> seen(key.values.size() + 1);
      domains = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (state.ignored[i]) continue;
        const cluster::DomainId domain = key.domain_of[nodes[i].index()];
        const std::size_t at = domain.valid() ? domain.index() : absent;
        // Where each node is a domain of its own, a node stands for as many domains as nodes.
        if (!seen[at]) domains += domain.valid() && key.one_node_each() ? feasible.count(i) : 1;
        seen[at] = true;
      }
    } else {
      count_by_node(cycle, constraint);
    }
    constraint.weight = std::log(static_cast<double>(domains + 2));
  }
  state.constraints = std::move(soft);
  return true;
}

void PodTopologySpread::score(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                              std::span<std::int64_t> scores) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const ScoreState& state = cycle.state<ScoreState>(this);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (state.ignored[i]) continue;
    double score = 0;
    for (const Constraint& constraint : state.constraints) {
      const cluster::DomainId domain = cluster.topology_key(constraint.key).domain_of[nodes[i].index()];
      if (!domain.valid()) continue;
      const cluster::Counter& counter = cluster.counter(constraint.counter);
      const std::size_t at = counter.spec.key == cluster::kEachNode ? nodes[i].index() : domain.index();
      const bool looks_empty = constraint.hostname && cycle.nodes_look_empty();
      const double pods = looks_empty ? 0 : static_cast<double>(counter.pods[at]);
      score += pods * constraint.weight + static_cast<double>(constraint.max_skew - 1);
    }
    scores[i] = static_cast<std::int64_t>(std::round(score));
  }
}

void PodTopologySpread::normalize(Cycle& cycle, std::span<const cluster::NodeId>,
                                  std::span<std::int64_t> scores) const {
  const std::vector<bool>& ignored = cycle.state<ScoreState>(this).ignored;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (ignored[i]) continue;
    least = std::min(least, scores[i]);
    most = std::max(most, scores[i]);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (ignored[i]) {
      scores[i] = 0;
    } else {
      scores[i] = most == 0 ? kMaxNodeScore : kMaxNodeScore * (most + least - scores[i]) / most;
    }
  }
}

std::unique_ptr<Plugin> make_pod_topology_spread(const kube::PluginArgs& args) {
  return std::make_unique<PodTopologySpread>(args.spread);
}

}  // namespace loadline::placement
