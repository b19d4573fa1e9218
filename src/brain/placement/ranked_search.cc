#include "brain/placement/ranked_search.h"

#include <algorithm>

#include "brain/placement/plugin_list.h"
#include "foundation/base/contract.h"

namespace loadline::placement {

using cluster::NodeId;

namespace {

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
constexpr std::size_t kAhead = 16;
constexpr std::size_t kSomeClasses = 256;
constexpr std::size_t kMostLate = 16;
// Looking at late nodes in that many runs costs as much as it does to rank all nodes.
constexpr std::size_t kNodesARun = 16;

}  // namespace

// ---- plugins by locality --------------------------------------------------------------------------------------------

std::unique_ptr<RankedSearch> RankedSearch::make(Cycle& cycle, const Profile& profile, const SignedPod& pod) {
  std::unique_ptr<RankedSearch> search(new RankedSearch(pod.rest));
  const Cycle::Lasting lasting(cycle, search->states_);
  if (!search->divide_filters(cycle, profile, pod)) return nullptr;
  search->divide_scores(cycle, profile, pod);
  if (!cycle.failure().empty()) return nullptr;
  Signature key = pod.facts;
  for (const Plugin* plugin : search->facts_plugins_.filters) key.add(plugin->name());
  for (const auto& [plugin, weight] : search->facts_plugins_.scores) key.add(plugin->name());
  for (const Plugin* plugin : search->facts_plugins_.raw_scores) key.add(plugin->name());
  search->facts_key_ = key.key();
  return search;
}

/// Runs PreFilter of the plugins that do so once, and sorts the filters by when they are asked. False: some plugin does
/// what cannot be kept.
bool RankedSearch::divide_filters(Cycle& cycle, const Profile& profile, const SignedPod& pod) {
  std::vector<const Plugin*> skipped;
  for (const Plugin* plugin : profile.pre_filters()) {
    if (contains(pod.topological, plugin)) {
      topology_pre_filters_.push_back(plugin);
      continue;
    }
    const PreFilterResult result = plugin->pre_filter(cycle);
    if (result.rejection || result.only_nodes) return false;
    if (result.skip) skipped.push_back(plugin);
  }
  // A node's rejection is that of the first plugin in order; so the plugins that are asked first must come first.
  for (const Plugin* plugin : profile.filters()) {
    if (contains(skipped, plugin)) continue;
    filters_.push_back(plugin);
    if (contains(pod.topological, plugin)) {
      topology_filters_.push_back(plugin);
    } else if (!topology_filters_.empty()) {
      return false;
    } else if (contains(pod.on_facts, plugin) && node_filters_.empty()) {
      facts_plugins_.filters.push_back(plugin);
    } else {
      node_filters_.push_back(plugin);
    }
  }
  return true;
}

/// Runs PreScore of the plugins that do so once, and sorts the scores by when they are asked for.
void RankedSearch::divide_scores(Cycle& cycle, const Profile& profile, const SignedPod& pod) {
  std::vector<const Plugin*> skipped;
  for (const Plugin* plugin : profile.pre_scores()) {
    if (contains(pod.topological, plugin)) {
      topology_pre_scores_.push_back(plugin);
    } else if (!plugin->pre_score(cycle, FeasibleNodes({}, {}))) {
      skipped.push_back(plugin);
    }
  }
  for (const WeightedPlugin& score : profile.scores()) {
    if (contains(skipped, score.plugin)) continue;
    const bool on_facts = contains(pod.on_facts, score.plugin);
    if (contains(pod.topological, score.plugin)) {
      settled_scores_.push_back(score);
    } else if (score.plugin->normalizes()) {
      settled_scores_.push_back(score);
      (on_facts ? facts_plugins_.raw_scores : raw_scores_).push_back(score.plugin);
    } else {
      (on_facts ? facts_plugins_.scores : node_scores_).push_back(score);
    }
  }
}

// ---- ranking --------------------------------------------------------------------------------------------------------

void RankedSearch::catch_up(Cycle& cycle) {
  const cluster::ChangeLog& log = cycle.cluster().changes();
  // Classes that no node is in any more are kept for later nodes, but not for ever.
  if (ranking_.classes().size() > 2 * cycle.cluster().node_count() + kSomeClasses) caught_up_ = 0;
  if (log.end() == caught_up_ && stale_.empty()) return;
  const Cycle::Lasting lasting(cycle, states_);
  facts_->catch_up(cycle, facts_plugins_);
  const auto changes = log.since(caught_up_);
  if (changes && facts_generation_ == facts_->generation() && follow_members(cycle.cluster())) {
    group_classes_.resize(facts_->group_count(), kUnknown);
    changed_.assign(changes->begin(), changes->end());
    changed_.insert(changed_.end(), stale_.begin(), stale_.end());
    ranking_.sort_out(changed_);
    std::erase_if(changed_, [&](NodeId node) { return !cycle.cluster().is_node(node); });
    rank(cycle, changed_);
  } else {
    const std::vector<NodeId>& order = cycle.cluster().scan_order();
    ranking_.reset(order, cycle.cluster().node_slots());
    late_.clear();
    members_seen_ = cycle.cluster().membership_changes().end();
    group_classes_.assign(facts_->group_count(), kUnknown);
    rank(cycle, order);
  }
  stale_.clear();
  facts_generation_ = facts_->generation();
  caught_up_ = log.end();
}

/// Nodes that came are late, and those that went are neither. False: there are too many to look at each, or unknown
/// ones.
bool RankedSearch::follow_members(const cluster::Cluster& cluster) {
  const cluster::ChangeLog& log = cluster.membership_changes();
  if (log.end() != members_seen_) {
    const auto members = log.since(members_seen_);
    if (!members) return false;
    members_seen_ = log.end();
    ranking_.make_room(cluster.node_slots());
    for (const NodeId node : *members) {
      ranking_.set_aside(node);
      std::erase(late_, node);
      if (cluster.is_node(node)) late_.push_back(node);
      runs_with_late_ = 0;
    }
  }
  return late_.size() <= kMostLate && runs_with_late_ <= cluster.node_count() / kNodesARun;
}

bool RankedSearch::is_late(NodeId node) const { return std::ranges::find(late_, node) != late_.end(); }

/// Asks the plugins of Locality::kNode about the nodes, and ranks these accordingly.
void RankedSearch::rank(Cycle& cycle, std::span<const NodeId> nodes) {
  const cluster::Cluster& cluster = cycle.cluster();
  passing_.clear();
  const bool all_ranked = late_.empty();
  for (const NodeId node : nodes) {
    if (!all_ranked && is_late(node)) continue;
    if (!cluster.nominated_to(node).empty()) {
      // What nominated pods mean to plugins that look further than the node cannot be kept.
      const RejectionId rejection = topology_filters_.empty() ? cycle.filter_node(node) : RejectionId{};
      if (rejection == kPassed) {
        passing_.push_back(node);
      } else {
        ranking_.refuse(node, rejection);
      }
    } else if (const RejectionId rejection = facts_->rejection(node); rejection == kPassed) {
      passing_.push_back(node);
    } else {
      ranking_.refuse(node, rejection);
    }
  }
  filter(cycle, passing_);
  if (!passing_.empty()) rank_passing(cycle);
}

/// Leaves those of the passing nodes that pass the plugins of Locality::kNode too. Nodes with nominated pods passed
/// them with these in place, so they do without.
void RankedSearch::filter(Cycle& cycle, std::span<const NodeId> nodes) {
  rejections_.assign(nodes.size(), kPassed);
  for (const Plugin* plugin : node_filters_) plugin->filter_each(cycle, nodes, rejections_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (rejections_[i] == kPassed) {
      passing_[kept++] = nodes[i];
    } else {
      ranking_.refuse(nodes[i], rejections_[i]);
    }
  }
  passing_.resize(kept);
}

void RankedSearch::rank_passing(Cycle& cycle) {
  add_node_scores(cycle, passing_, ranks_);
  if (coordinates_.empty() && raw_scores_.empty()) {
    for (std::size_t n = 0; n < passing_.size(); ++n) {
      if (n + kAhead < passing_.size()) ranking_.prefetch(passing_[n + kAhead]);
      const FactsView::Group group = facts_->group(passing_[n]);
      ranking_.enter(passing_[n], kind_of_group(group), ranks_[n] + facts_->score(group));
    }
    return;
  }
  raw_.assign(raw_scores_.size() * passing_.size(), 0);
  for (std::size_t i = 0; i < raw_scores_.size(); ++i) {
    raw_scores_[i]->score(cycle, passing_, std::span(raw_).subspan(i * passing_.size(), passing_.size()));
  }
  NodeRanking::ClassKey key;
  recent_kinds_.fill({});
  for (std::size_t n = 0; n < passing_.size(); ++n) {
    if (n + kAhead < passing_.size()) ranking_.prefetch(passing_[n + kAhead]);
    const FactsView::Group group = facts_->group(passing_[n]);
    key = {group};
    append_coordinates(cycle.cluster(), passing_[n], key);
    for (std::size_t i = 0; i < raw_scores_.size(); ++i) {
      const auto score = static_cast<std::uint64_t>(raw_[i * passing_.size() + n]);
      key.push_back(static_cast<std::uint32_t>(score));
      key.push_back(static_cast<std::uint32_t>(score >> 32));
    }
    ranking_.enter(passing_[n], class_of(key), ranks_[n] + facts_->score(group));
  }
}

/// Neighbours in order take turns at a few classes, such as zones.
std::uint32_t RankedSearch::class_of(const NodeRanking::ClassKey& key) {
  RecentKind& recent = recent_kinds_[key.back() % recent_kinds_.size()];
  if (recent.key != key) recent = {key, ranking_.class_of(key)};
  return recent.class_id;
}

std::uint32_t RankedSearch::kind_of_group(FactsView::Group group) {
  std::uint32_t& class_id = group_classes_[group];
  if (class_id == kUnknown) class_id = ranking_.class_of({group});
  return class_id;
}

void RankedSearch::append_coordinates(const cluster::Cluster& cluster, NodeId node, NodeRanking::ClassKey& key) const {
  for (const auto& [type, id] : coordinates_) {
    const auto counted = [&](const std::vector<std::int32_t>& pods, cluster::TopologyKeyId topology) {
      const cluster::DomainId domain = cluster.topology_key(topology).domain_of[node.index()];
      return domain.valid() ? static_cast<std::uint32_t>(pods[domain.index()]) : domain.value;
    };
    switch (type) {
      case Coordinate::Type::kDomain:
        key.push_back(cluster.topology_key(cluster::TopologyKeyId{id}).domain_of[node.index()].value);
        break;
      case Coordinate::Type::kCounted: {
        const cluster::Counter& counter = cluster.counter(cluster::CounterId{id});
        key.push_back(counted(counter.pods, counter.spec.key));
        break;
      }
      case Coordinate::Type::kHeld: {
        const cluster::AffinityTermCount& affinity_term_count =
            cluster.affinity_term_count(cluster::AffinityTermCountId{id});
        key.push_back(counted(affinity_term_count.pods, affinity_term_count.spec.key));
        break;
      }
    }
  }
}

/// Σ weight · score of the plugins of Locality::kNode that are not normalised.
void RankedSearch::add_node_scores(Cycle& cycle, std::span<const NodeId> nodes, std::vector<std::int64_t>& sums) {
  sums.assign(nodes.size(), 0);
  scores_.resize(nodes.size());
  for (const auto& [plugin, weight] : node_scores_) {
    std::fill(scores_.begin(), scores_.end(), 0);
    plugin->score(cycle, nodes, scores_);
    for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += weight * scores_[i];
  }
}

DryRunMemory* RankedSearch::dry_runs(const Cycle& cycle) {
  for (const Plugin* plugin : topology_filters_) {
    if (cycle.takes_part(plugin)) return nullptr;
  }
  return &dry_runs_;
}

// ---- the search -----------------------------------------------------------------------------------------------------

void RankedSearch::run(Cycle& cycle, Attempt& attempt) {
  REQUIRES(facts_ != nullptr);
  runs_with_late_ += late_.empty() ? 0 : 1;
  catch_up(cycle);
  const cluster::Cluster& cluster = cycle.cluster();
  // Where the pod itself is nominated it sees another node than other pods do.
  const NodeId own = cycle.record().nominated;
  if (own.valid()) {
    ranking_.set_aside(own);
    stale_.push_back(own);
  }
  attempt.examined += static_cast<std::int64_t>(cluster.node_count());
  find_finalists(cycle);
  refused_aside_.clear();
  look_beside(cycle, own);
  if (finalists_.empty()) {
    count_rejections(attempt);
  } else {
    choose(cycle, attempt);
  }
}

/// Looks at the nodes that are set aside: late ones, and those with nominated pods, if these may mean more to plugins
/// than could be ranked, or are the pod itself, at `own`.
void RankedSearch::look_beside(Cycle& cycle, NodeId own) {
  for (const NodeId node : late_) look_at(cycle, node);
  if (!topology_filters_.empty()) {
    for (const NodeId node : cycle.cluster().nominated_nodes()) {
      if (!is_late(node)) look_at(cycle, node);
    }
  } else if (own.valid() && !is_late(own)) {
    look_at(cycle, own);
  }
}

/// Of each class whose nodes pass, the best node.
void RankedSearch::find_finalists(Cycle& cycle) {
  finalists_.clear();
  class_rejections_.assign(ranking_.classes().size(), RejectionId{});
  for (std::uint32_t class_id = 0; class_id < class_rejections_.size(); ++class_id) {
    if (ranking_.classes()[class_id].nodes == 0) continue;
    const NodeRanking::Leader leader = ranking_.leader(class_id);
    RejectionId& rejection = class_rejections_[class_id] = kPassed;
    for (const Plugin* plugin : topology_filters_) {
      if (!cycle.takes_part(plugin)) continue;
      rejection = plugin->filter(cycle, leader.node);
      if (rejection != kPassed) break;
    }
    if (rejection != kPassed) continue;
    finalists_.push_back({leader.node, ranking_.classes()[class_id].nodes, leader.score});
  }
}

/// Looks at a node that is set aside as if there were no ranking.
void RankedSearch::look_at(Cycle& cycle, NodeId node) {
  if (const RejectionId rejection = cycle.filter_node(node); rejection != kPassed) {
    refused_aside_.emplace_back(node, rejection);
    return;
  }
  add_node_scores(cycle, std::span(&node, 1), ranks_);
  const std::int64_t on_facts = facts_->score(facts_->group(node));
  finalists_.push_back({node, 1, on_facts + ranks_.front()});
}

/// Settles the normalised scores among the finalists, and takes the best: of equals, the first in scan order.
void RankedSearch::choose(Cycle& cycle, Attempt& attempt) {
  if (finalists_.size() > 1) settle_scores(cycle);
  const cluster::Cluster& cluster = cycle.cluster();
  const auto best = std::min_element(finalists_.begin(), finalists_.end(), [&](const Finalist& a, const Finalist& b) {
    return a.score != b.score ? a.score > b.score : cluster.scan_place(a.node) < cluster.scan_place(b.node);
  });
  attempt.node = best->node;
  attempt.best_score = best->score;
}

void RankedSearch::settle_scores(Cycle& cycle) {
  std::vector<NodeId> nodes;
  std::vector<std::uint32_t> alike;
  for (const Finalist& finalist : finalists_) {
    nodes.push_back(finalist.node);
    alike.push_back(finalist.stands_for);
  }
  std::vector<const Plugin*> skipped;
  for (const Plugin* plugin : topology_pre_scores_) {
    if (!plugin->pre_score(cycle, FeasibleNodes(nodes, alike))) skipped.push_back(plugin);
  }
  scores_.resize(nodes.size());
  for (const auto& [plugin, weight] : settled_scores_) {
    if (contains(skipped, plugin)) continue;
    std::fill(scores_.begin(), scores_.end(), 0);
    plugin->score(cycle, nodes, scores_);
    plugin->normalize(cycle, nodes, scores_);
    for (std::size_t i = 0; i < nodes.size(); ++i) finalists_[i].score += weight * scores_[i];
  }
}

void RankedSearch::count_rejections(Attempt& attempt) const {
  std::vector<std::size_t> counts(ranking_.refused().begin(), ranking_.refused().end());
  const auto count = [&](RejectionId rejection, std::size_t nodes) {
    if (counts.size() <= rejection.index()) counts.resize(rejection.index() + 1);
    counts[rejection.index()] += nodes;
  };
  for (std::size_t class_id = 0; class_id < class_rejections_.size(); ++class_id) {
    if (class_rejections_[class_id].valid()) count(class_rejections_[class_id], ranking_.classes()[class_id].nodes);
  }
  for (const auto& [node, rejection] : refused_aside_) count(rejection, 1);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) attempt.rejections.push_back({RejectionId{i}, counts[i]});
  }
}

RejectionId RankedSearch::rejection(NodeId node) const {
  const RejectionId rejection = ranking_.rejection(node);
  if (rejection == kPassed) return class_rejections_[ranking_.class_of(node)];
  if (rejection.valid()) return rejection;
  const auto aside = std::find_if(refused_aside_.begin(), refused_aside_.end(),
                                  [&](const auto& refused) { return refused.first == node; });
  return aside == refused_aside_.end() ? RejectionId{} : aside->second;
}

}  // namespace loadline::placement
