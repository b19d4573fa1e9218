#include "brain/placement/cycle.h"

#include <algorithm>
#include <limits>

#include "brain/placement/plugin_list.h"
#include "brain/placement/ranked_search.h"
#include "brain/placement/reserved_nodes.h"
#include "brain/placement/tentative_moves.h"
#include "foundation/base/contract.h"
#include "foundation/base/text.h"

namespace loadline::placement {

using cluster::NodeId;

std::vector<Obstacle> obstacles_of(const Rejection& rejection) {
  std::vector<Obstacle> obstacles;
  for (const Reason& reason : rejection.reasons) {
    Obstacle& obstacle = obstacles.emplace_back();
    obstacle.plugin = rejection.plugin;
    obstacle.code = rejection.code;
    obstacle.reason = reason;
  }
  return obstacles;
}

RejectionTable::RejectionTable() {
  rejections_.push_back(nullptr);  // id 0: passed
}

RejectionId RejectionTable::intern(const Rejection& rejection) {
  const auto [entry, fresh] = ids_.try_emplace(rejection, RejectionId{rejections_.size()});
  if (fresh) rejections_.push_back(&entry->first);
  return entry->second;
}

RejectionId RejectionTable::intern(std::string_view plugin, Code code, ReasonKind kind, const WakeUps& wake_ups) {
  RejectionId& known = plain_[static_cast<std::size_t>(kind)];
  if (known.valid() && at(known).code == code && at(known).plugin == plugin) return known;
  known = intern({plugin, code, {{kind, ""}}, wake_ups});
  return known;
}

Cycle::Cycle(cluster::Cluster& cluster, const Profile& profile, RejectionTable& rejections, cluster::PodId pod)
    : cluster_(cluster),
      profile_(profile),
      rejections_(rejections),
      pod_(pod),
      shape_(&cluster.shape_of(pod)),
      extenders_(cluster, profile, rejections, pod) {}

void Cycle::confine(std::span<const NodeId> nodes) {
  confined_to_ = nodes;
  inside_.assign(cluster_.node_slots(), false);
  for (const NodeId node : nodes) inside_[node.index()] = true;
}

Attempt Cycle::run(std::size_t& start, Detail detail) {
  Attempt attempt;
  attempt.pod = pod_;
  if (cluster_.node_count() == 0) return attempt;
  failure_.clear();
  std::optional<std::vector<Symbol>> only_nodes;
  if (!run_pre_filters(attempt, only_nodes)) return attempt;
  const NodeId first = try_first(attempt);
  if (only_nodes) attempt.absent = narrowed_by(attempt.rejecting_plugins);
  if (!first.valid() || detail == Detail::kFull) {
    attempt.feasible.clear();
    run_filters(attempt, only_nodes, start);
    if (attempt.error.empty()) ask_extenders(attempt);
  }
  if (detail == Detail::kFull || attempt.feasible.empty()) note_rejections(attempt);
  if (!attempt.feasible.empty() && attempt.error.empty()) score(attempt, detail);
  if (first.valid()) attempt.node = first;
  return attempt;
}

/// The rejection of nodes that the search leaves out. Among the plugins that narrowed it, upstream names the one that
/// refused the nominated node; no extender, which it counts only after the search.
RejectionId Cycle::narrowed_by(std::vector<std::string_view> plugins) {
  for (const auto& [node, rejection] : refused_) {
    if (const std::string_view plugin = rejections_.at(rejection).plugin; plugin != kExtenderName) {
      plugins.push_back(plugin);
    }
  }
  std::sort(plugins.begin(), plugins.end());
  plugins.erase(std::unique(plugins.begin(), plugins.end()), plugins.end());
  return reject({"", Code::kUnresolvable, {{ReasonKind::kNotSelectedByPlugin, "[" + joined(plugins, " ") + "]"}}});
}

/// Those of the nodes that PreFilter leaves, and about which the filters' answer passes.
template <class Passes>
std::vector<NodeId> Cycle::nodes_that_pass(std::span<const NodeId> nodes, Passes&& passes) {
  Attempt attempt;
  std::optional<std::vector<Symbol>> only_nodes;
  if (!run_pre_filters(attempt, only_nodes)) return {};
  std::vector<NodeId> left(nodes.begin(), nodes.end());
  if (only_nodes) {
    std::erase_if(left,
                  [&](NodeId node) { return !std::ranges::binary_search(*only_nodes, cluster_.facts(node).name); });
  }
  const std::vector<RejectionId> rejections = filter_nodes(left);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (passes(rejections[i])) left[kept++] = left[i];
  }
  left.resize(kept);
  return left;
}

/// filter_node() of each, a plugin at a time. What refuses a node while nominated pods are there is said first; what
/// passes with them passes without them, too, so that asking again changes nothing.
std::vector<RejectionId> Cycle::filter_nodes(std::span<const NodeId> nodes) {
  std::vector<RejectionId> rejections(nodes.size(), kPassed);
  const bool one_by_one = !profile_.broken_filters().empty();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (one_by_one || !cluster_.nominated_to(nodes[i]).empty()) rejections[i] = filter_node(nodes[i]);
  }
  if (one_by_one) return rejections;
  for (const Plugin* plugin : filters_) plugin->filter_each(*this, nodes, rejections);
  return rejections;
}

std::vector<NodeId> Cycle::fitting(std::span<const NodeId> nodes) {
  std::vector<NodeId> fit = nodes_that_pass(nodes, [](RejectionId rejection) { return rejection == kPassed; });
  if (!fit.empty() && !extenders_.filter(fit, refused_)) fit.clear();
  return fit;
}

std::vector<NodeId> Cycle::resolvable(std::span<const NodeId> nodes) {
  return nodes_that_pass(nodes, [&](RejectionId rejection) {
    return rejection == kPassed || rejections_.at(rejection).code == Code::kUnschedulable;
  });
}

void Cycle::run(RankedSearch& search, Attempt& attempt) {
  lasting_ = &search.states();
  filters_ = search.filters();
  for (const Plugin* plugin : search.pre_filters()) {
    const PreFilterResult result = plugin->pre_filter(*this);
    REQUIRES(!result.rejection && !result.only_nodes);  // see Locality::kTopology
    if (result.skip) std::erase(filters_, plugin);
  }
  has_filters_ = true;
  attempt.pod = pod_;
  attempt.node = try_first(attempt);
  if (attempt.scheduled()) return;
  search.run(*this, attempt);
  if (!attempt.scheduled()) note_plugins(attempt);
}

bool Cycle::takes_part(const Plugin* filter) const {
  REQUIRES(has_filters_);
  return contains(filters_, filter);
}

// ---- PreFilter ------------------------------------------------------------------------------------------------------

namespace {

std::string sorted_list(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  return "[" + joined(names, " ") + "]";
}

Rejection nodes_disagree(const std::vector<std::string_view>& plugins) {
  const std::string text = plugins.size() == 1
                               ? "node(s) didn't satisfy plugin " + std::string(plugins.front())
                               : "node(s) didn't satisfy plugin(s) " + sorted_list(plugins) + " simultaneously";
  return {"", Code::kUnresolvable, {{ReasonKind::kPluginsDisagree, text}}};
}

}  // namespace

bool Cycle::run_pre_filters(Attempt& attempt, std::optional<std::vector<Symbol>>& only_nodes) {
  std::vector<const Plugin*> skipped;
  std::vector<std::string_view> narrowing;
  for (const Plugin* plugin : profile_.pre_filters()) {
    PreFilterResult result = plugin->pre_filter(*this);
    if (result.skip) {
      skipped.push_back(plugin);
      attempt.skipped_filters.push_back(plugin->name());
      continue;
    }
    if (result.rejection) {
      attempt.pre_filter = std::move(result.rejection);
      attempt.wake_ups |= plugin->wake_ups();
      if (attempt.pre_filter->code == Code::kUnschedulable) continue;  // a later plugin may say it is unresolvable
      break;
    }
    if (!result.only_nodes) continue;
    narrowing.push_back(plugin->name());
    std::sort(result.only_nodes->begin(), result.only_nodes->end());
    if (!only_nodes) {
      only_nodes = std::move(result.only_nodes);
    } else {
      std::erase_if(*only_nodes, [&](Symbol name) {
        return !std::binary_search(result.only_nodes->begin(), result.only_nodes->end(), name);
      });
    }
    if (only_nodes->empty()) {
      attempt.pre_filter = nodes_disagree(narrowing);
      break;
    }
  }
  for (const Plugin* plugin : profile_.filters()) {
    if (!contains(skipped, plugin)) filters_.push_back(plugin);
  }
  has_filters_ = true;
  if (attempt.pre_filter) {
    const Rejection& rejection = *attempt.pre_filter;
    if (rejection.code == Code::kError) {
      attempt.error =
          "running PreFilter plugin \"" + std::string(rejection.plugin) + "\": " + rejection.reasons.front().text();
    }
    attempt.absent = reject(rejection);
    // A rejection that nothing can resolve ends the stage, and the plugins that narrowed the search before are not
    // named.
    const bool ended = rejection.code == Code::kUnresolvable && !rejection.plugin.empty();
    if (!ended) attempt.rejecting_plugins = narrowing;
    if (!rejection.plugin.empty()) attempt.rejecting_plugins.push_back(rejection.plugin);
    return false;
  }
  if (only_nodes) attempt.rejecting_plugins = narrowing;
  return true;
}

// ---- Filter ---------------------------------------------------------------------------------------------------------

RejectionId Cycle::run_filter_plugins(NodeId node) {
  for (const Plugin* plugin : filters_) {
    if (!profile_.broken_filters().empty() && contains(profile_.broken_filters(), plugin)) {
      const std::string text =
          "running \"" + std::string(plugin->name()) + "\" filter plugin: " + plugin->without_pre_filter();
      return reject({plugin->name(), Code::kError, {{ReasonKind::kOther, text}}, plugin->wake_ups()});
    }
    if (const RejectionId rejection = plugin->filter(*this, node); rejection != kPassed) return rejection;
  }
  return kPassed;
}

RejectionId Cycle::filter_node(NodeId node) {
  REQUIRES(has_filters_);
  if (cluster_.nominated_to(node).empty()) return run_filter_plugins(node);
  TentativeMoves with_nominated(*this);
  bool added = false;
  const std::vector<cluster::PodId> nominated = cluster_.nominated_to(node);
  for (const cluster::PodId other : nominated) {
    const cluster::PodRecord& record = cluster_.pod(other);
    if (other == pod_ || record.priority < this->record().priority || record.node.valid()) continue;
    with_nominated.place(other, node);
    added = true;
  }
  if (!added) return run_filter_plugins(node);
  const RejectionId rejection = run_filter_plugins(node);
  with_nominated.undo();
  return rejection != kPassed ? rejection : run_filter_plugins(node);
}

std::vector<Obstacle> Cycle::obstacles(NodeId node) {
  REQUIRES(has_filters_);
  std::vector<Obstacle> obstacles;
  for (const Plugin* plugin : filters_) {
    if (!contains(profile_.broken_filters(), plugin)) plugin->explain(*this, node, obstacles);
  }
  return obstacles;
}

void Plugin::explain(Cycle& cycle, NodeId node, std::vector<Obstacle>& obstacles) const {
  const RejectionId rejection = filter(cycle, node);
  if (rejection == kPassed) return;
  for (Obstacle& obstacle : obstacles_of(cycle.rejection(rejection))) obstacles.push_back(std::move(obstacle));
}

void Cycle::ask_extenders(Attempt& attempt) {
  const Result<void> answered = extenders_.filter(attempt.feasible, refused_);
  if (!answered) attempt.error = answered.error().message;
}

/// A node that the pod need not be compared with others for: where room is held for it, or was made. Invalid: none.
NodeId Cycle::try_first(Attempt& attempt) {
  if (try_reserved(attempt)) return attempt.feasible.front();
  return try_nominated(attempt) ? record().nominated : NodeId{};
}

bool Cycle::try_reserved(Attempt& attempt) {
  if (cluster_.reservations().empty()) return false;
  const auto fits = [&](ReservedNode held) {
    if (is_left_out(held.node)) return false;
    TentativeMoves without_placeholder(*this);
    without_placeholder.unplace(held.placeholder);
    ++attempt.examined;
    if (filter_node(held.node) != kPassed) return false;
    attempt.feasible = {held.node};
    const Result<void> answered = extenders_.filter(attempt.feasible, refused_);
    return answered && !attempt.feasible.empty();
  };
  attempt.consumes = first_reserved_node(cluster_, pod_, fits).placeholder;
  attempt.by_reservation = attempt.consumes.valid();
  if (!attempt.by_reservation) attempt.feasible.clear();
  return attempt.by_reservation;
}

bool Cycle::try_nominated(Attempt& attempt) {
  const NodeId nominated = record().nominated;
  if (!nominated.valid() || is_left_out(nominated)) return false;
  const RejectionId rejection = filter_node(nominated);
  ++attempt.examined;
  if (rejection != kPassed) {
    refused_.emplace_back(nominated, rejection);  // stands unless the search comes to the node again
    return false;
  }
  std::vector<NodeId> feasible = {nominated};
  const Result<void> answered = extenders_.filter(feasible, refused_);
  if (!answered || feasible.empty()) return false;
  attempt.feasible = std::move(feasible);
  attempt.by_nomination = true;
  return true;
}

/// Upstream's numFeasibleNodesToFind, with every node as our own default.
std::size_t Cycle::feasible_wanted(std::size_t nodes) const {
  constexpr std::size_t kAlwaysAll = 100;
  if (profile_.scores().empty() && !profile_.extenders_look_at_nodes()) return 1;
  if (nodes < kAlwaysAll || !profile_.percentage_of_nodes_to_score()) return nodes;
  std::size_t percentage = static_cast<std::size_t>(*profile_.percentage_of_nodes_to_score());
  if (percentage == 0) percentage = nodes / 125 >= 45 ? 5 : 50 - nodes / 125;
  return std::max(nodes * percentage / 100, kAlwaysAll);
}

void Cycle::run_filters(Attempt& attempt, const std::optional<std::vector<Symbol>>& only_nodes, std::size_t& start) {
  std::vector<NodeId> narrowed;
  if (only_nodes) {
    for (const Symbol name : *only_nodes) {
      const NodeId node = cluster_.find_node(name);
      if (node.valid() && !is_left_out(node)) narrowed.push_back(node);
    }
    std::sort(narrowed.begin(), narrowed.end(), [&](NodeId a, NodeId b) { return cluster_.older(a, b); });
  }
  const std::span<const NodeId> all = inside_.empty() ? std::span(cluster_.scan_order()) : confined_to_;
  const std::span<const NodeId> nodes = only_nodes ? std::span<const NodeId>(narrowed) : all;
  const std::size_t wanted = feasible_wanted(nodes.size());
  const std::size_t first = wanted < nodes.size() ? start : 0;
  std::size_t processed = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeId node = nodes[(first + i) % nodes.size()];
    const RejectionId rejection = filter_node(node);
    if (rejection == kPassed && attempt.feasible.size() == wanted) break;  // one more than asked for ends the search
    ++processed;
    if (rejection == kPassed) {
      attempt.feasible.push_back(node);
      continue;
    }
    refused_.emplace_back(node, rejection);
    if (rejections_.at(rejection).code == Code::kError) {
      attempt.error = rejections_.at(rejection).reasons.front().text();
      return;
    }
  }
  attempt.examined += static_cast<std::int64_t>(processed);
  if (wanted < nodes.size()) start = (start + processed) % all.size();
}

void Cycle::note_rejections(Attempt& attempt) const {
  attempt.rejection_by_node.assign(cluster_.node_slots(), RejectionId{});
  for (const auto& [node, rejection] : refused_) attempt.rejection_by_node[node.index()] = rejection;
  for (const NodeId node : attempt.feasible) attempt.rejection_by_node[node.index()] = kPassed;
  std::vector<std::size_t> counts;
  std::size_t absent = 0;
  for (const NodeId node : cluster_.nodes()) {
    const RejectionId rejection = attempt.rejection_by_node[node.index()];
    if (is_left_out(node)) continue;
    if (!rejection.valid()) ++absent;
    if (!rejection.valid() || rejection == kPassed) continue;
    if (counts.size() <= rejection.index()) counts.resize(rejection.index() + 1);
    ++counts[rejection.index()];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) attempt.rejections.push_back({RejectionId{i}, counts[i]});
  }
  note_plugins(attempt);
  if (absent > 0 && attempt.absent.valid()) attempt.rejections.push_back({attempt.absent, absent});
}

void Cycle::note_plugins(Attempt& attempt) const {
  for (const RejectionCount& counted : attempt.rejections) {
    const Rejection& rejection = rejections_.at(counted.rejection);
    attempt.rejecting_plugins.push_back(rejection.plugin);
    attempt.wake_ups |= rejection.wake_ups;
  }
  if (extenders_.refused_some()) {
    attempt.rejecting_plugins.push_back(kExtenderName);
    attempt.wake_ups.by_placements = true;  // what an extender looks at is unknown
  }
  std::sort(attempt.rejecting_plugins.begin(), attempt.rejecting_plugins.end());
  const auto end = std::unique(attempt.rejecting_plugins.begin(), attempt.rejecting_plugins.end());
  attempt.rejecting_plugins.erase(end, attempt.rejecting_plugins.end());
}

// ---- Score ----------------------------------------------------------------------------------------------------------

namespace {

/// What is wrong with a plugin's normalised scores; empty: they are what they should be.
std::string check_range(const Plugin& plugin, const std::vector<std::int64_t>& scores) {
  for (const std::int64_t score : scores) {
    if (score >= 0 && score <= kMaxNodeScore) continue;
    return "applying score defaultWeights on Score plugins: plugin \"" + std::string(plugin.name()) +
           "\" returns an invalid score " + std::to_string(score) + ", it should in the range of [0, " +
           std::to_string(kMaxNodeScore) + "] after normalizing";
  }
  return {};
}

}  // namespace

void Cycle::score(Attempt& attempt, Detail detail) {
  const std::vector<NodeId>& nodes = attempt.feasible;
  if (nodes.size() == 1 && detail == Detail::kDecision) {
    attempt.node = nodes.front();
    attempt.best = nodes;
    return;
  }
  std::vector<const Plugin*> skipped;
  for (const Plugin* plugin : profile_.pre_scores()) {
    if (!plugin->pre_score(*this, nodes)) skipped.push_back(plugin);
    if (failure_.empty()) continue;
    attempt.error = "running PreScore plugin \"" + std::string(plugin->name()) + "\": " + failure_;
    return;
  }
  if (!profile_.broken_scores().empty()) {
    const Plugin* plugin = profile_.broken_scores().front();
    attempt.error = "running Score plugins: plugin \"" + std::string(plugin->name()) +
                    "\" failed with: " + plugin->without_pre_score();
    return;
  }
  std::vector<std::int64_t> totals(nodes.size());
  std::vector<std::int64_t> scores(nodes.size());
  std::string out_of_range;
  for (const auto& [plugin, weight] : profile_.scores()) {
    const bool skip = contains(skipped, plugin);
    std::fill(scores.begin(), scores.end(), 0);
    if (!skip) {
      plugin->score(*this, nodes, scores);
      if (!failure_.empty()) {
        attempt.error =
            "running Score plugins: plugin \"" + std::string(plugin->name()) + "\" failed with: " + failure_;
        return;
      }
      plugin->normalize(*this, nodes, scores);
      if (out_of_range.empty()) out_of_range = check_range(*plugin, scores);
      for (std::size_t i = 0; i < nodes.size() && out_of_range.empty(); ++i) totals[i] += scores[i] *= weight;
    }
    if (detail == Detail::kFull) attempt.columns.push_back({plugin->name(), skip, scores});
  }
  attempt.error = std::move(out_of_range);
  if (!attempt.error.empty()) return;
  if (nodes.size() > 1) {
    extenders_.prioritize(nodes, totals, detail == Detail::kFull ? &attempt.columns : nullptr);
  }
  choose(attempt, totals);
}

/// The highest total wins; among equals the first in scan order. Upstream breaks ties by the order its workers
/// finished in, so any of Attempt::best may be its choice.
void Cycle::choose(Attempt& attempt, const std::vector<std::int64_t>& totals) {
  attempt.best_score = *std::max_element(totals.begin(), totals.end());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == attempt.best_score) attempt.best.push_back(attempt.feasible[i]);
  }
  attempt.node = attempt.best.front();
}

void Cycle::pod_added(cluster::PodId pod, NodeId node) {
  for (const Plugin* plugin : filters_) plugin->pod_added(*this, pod, node);
}

void Cycle::pod_removed(cluster::PodId pod, NodeId node) {
  for (const Plugin* plugin : filters_) plugin->pod_removed(*this, pod, node);
}

}  // namespace loadline::placement
