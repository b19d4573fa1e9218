#include "placement/ranked_search.h"

#include <algorithm>

namespace loadline::placement {

using cluster::NodeId;

namespace {

bool contains(const std::vector<const Plugin*>& plugins, const Plugin* plugin) {
  return std::find(plugins.begin(), plugins.end(), plugin) != plugins.end();
}

}  // namespace

// ---- plugins by locality
// ---------------------------------------------------------------------------------------------

std::unique_ptr<RankedSearch> RankedSearch::make(Cycle& cycle, const Profile& profile, const SignedPod& pod) {
  std::unique_ptr<RankedSearch> search(new RankedSearch(pod.signature));
  const Cycle::Lasting lasting(cycle, search->states_);
  return search->divide_plugins(cycle, profile, pod) ? std::move(search) : nullptr;
}

/// Runs what the plugins of Locality::kNode do before they see a node, and sorts all plugins by when they are asked.
/// False: some plugin does what cannot be kept.
bool RankedSearch::divide_plugins(Cycle& cycle, const Profile& profile, const SignedPod& pod) {
  const auto local = [&](const Plugin* plugin) { return !contains(pod.topological, plugin); };
  std::vector<const Plugin*> skipped;
  for (const Plugin* plugin : profile.pre_filters()) {
    if (!local(plugin)) {
      topology_pre_filters_.push_back(plugin);
      continue;
    }
    const PreFilterVerdict verdict = plugin->pre_filter(cycle);
    if (verdict.rejection || verdict.only_nodes) return false;
    if (verdict.skip) skipped.push_back(plugin);
  }
  for (const Plugin* plugin : profile.filters()) {
    if (contains(skipped, plugin)) continue;
    // A node's refusal is that of the first plugin in order; so those that are asked first must come first.
    if (local(plugin) && !topology_filters_.empty()) return false;
    filters_.push_back(plugin);
    (local(plugin) ? node_filters_ : topology_filters_).push_back(plugin);
  }
  skipped.clear();
  for (const Plugin* plugin : profile.pre_scores()) {
    if (!local(plugin)) {
      topology_pre_scores_.push_back(plugin);
    } else if (!plugin->pre_score(cycle, FeasibleNodes({}, {}))) {
      skipped.push_back(plugin);
    }
  }
  for (const WeightedPlugin& score : profile.scores()) {
    if (contains(skipped, score.plugin)) continue;
    if (local(score.plugin) && !score.plugin->normalizes()) {
      node_scores_.push_back(score);
      continue;
    }
    settled_scores_.push_back(score);
    if (local(score.plugin)) raw_scores_.push_back(score.plugin);
  }
  return true;
}

// ---- ranking
// ---------------------------------------------------------------------------------------------------------

void RankedSearch::catch_up(Cycle& cycle) {
  const cluster::ChangeLog& log = cycle.cluster().changes();
  if (log.end() == caught_up_ && stale_.empty()) return;
  const Cycle::Lasting lasting(cycle, states_);
  if (const auto changes = log.since(caught_up_)) {
    changed_.assign(changes->begin(), changes->end());
    changed_.insert(changed_.end(), stale_.begin(), stale_.end());
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    rank(cycle, changed_);
  } else {
    const std::vector<NodeId>& order = cycle.cluster().scan_order();
    ranking_.reset(order);
    rank(cycle, order);
  }
  stale_.clear();
  caught_up_ = log.end();
}

/// The verdict of the plugins of Locality::kNode; with nominated pods in place, if there are any.
RejectionId RankedSearch::filter(Cycle& cycle, NodeId node) const {
  if (!cycle.cluster().nominated_to(node).empty()) return cycle.filter_node(node);
  for (const Plugin* plugin : node_filters_) {
    if (const RejectionId verdict = plugin->filter(cycle, node); verdict != kPassed) return verdict;
  }
  return kPassed;
}

/// Asks the plugins of Locality::kNode about the nodes, and ranks these accordingly.
void RankedSearch::rank(Cycle& cycle, std::span<const NodeId> nodes) {
  const cluster::Cluster& cluster = cycle.cluster();
  passing_.clear();
  for (const NodeId node : nodes) {
    // What nominated pods mean to plugins that look further than the node cannot be kept.
    if (!topology_filters_.empty() && !cluster.nominated_to(node).empty()) {
      ranking_.set_aside(node);
      continue;
    }
    const RejectionId verdict = filter(cycle, node);
    if (verdict == kPassed) {
      passing_.push_back(node);
    } else {
      ranking_.refuse(node, verdict);
    }
  }
  if (passing_.empty()) return;
  add_node_scores(cycle, passing_, ranks_);
  raw_.assign(raw_scores_.size() * passing_.size(), 0);
  for (std::size_t i = 0; i < raw_scores_.size(); ++i) {
    raw_scores_[i]->score(cycle, passing_, std::span(raw_).subspan(i * passing_.size(), passing_.size()));
  }
  NodeRanking::KindKey key, last;
  std::uint32_t kind = 0;
  for (std::size_t n = 0; n < passing_.size(); ++n) {
    key.clear();
    append_coordinates(cluster, passing_[n], key);
    for (std::size_t i = 0; i < raw_scores_.size(); ++i) {
      const auto score = static_cast<std::uint64_t>(raw_[i * passing_.size() + n]);
      key.push_back(static_cast<std::uint32_t>(score));
      key.push_back(static_cast<std::uint32_t>(score >> 32));
    }
    if (n == 0 || key != last) {
      kind = ranking_.kind(key);
      last = key;
    }
    ranking_.enter(passing_[n], kind, ranks_[n]);
  }
}

void RankedSearch::append_coordinates(const cluster::Cluster& cluster, NodeId node, NodeRanking::KindKey& key) const {
  for (const auto& [kind, id] : coordinates_) {
    const auto counted = [&](const std::vector<std::int32_t>& pods, cluster::TopologyKeyId topology) {
      const cluster::DomainId domain = cluster.topology_key(topology).domain_of[node.index()];
      return domain.valid() ? static_cast<std::uint32_t>(pods[domain.index()]) : domain.value;
    };
    switch (kind) {
      case Coordinate::Kind::kDomain:
        key.push_back(cluster.topology_key(cluster::TopologyKeyId{id}).domain_of[node.index()].value);
        break;
      case Coordinate::Kind::kCounted: {
        const cluster::Counter& counter = cluster.counter(cluster::CounterId{id});
        key.push_back(counted(counter.pods, counter.spec.key));
        break;
      }
      case Coordinate::Kind::kHeld: {
        const cluster::Holder& holder = cluster.holder(cluster::HolderId{id});
        key.push_back(counted(holder.pods, holder.spec.key));
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

// ---- the search
// ------------------------------------------------------------------------------------------------------

void RankedSearch::run(Cycle& cycle, Attempt& attempt) {
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
  std::vector<std::pair<NodeId, RejectionId>> refused;
  if (!topology_filters_.empty()) {
    for (const NodeId node : cluster.nominated_nodes()) look_at(cycle, node, refused);
  } else if (own.valid()) {
    look_at(cycle, own, refused);
  }
  if (finalists_.empty()) {
    explain(cycle, refused, attempt);
  } else {
    choose(cycle, attempt);
  }
}

/// Of each kind whose nodes pass, the best node.
void RankedSearch::find_finalists(Cycle& cycle) {
  finalists_.clear();
  kind_verdicts_.assign(ranking_.kinds().size(), RejectionId{});
  for (std::uint32_t kind = 0; kind < kind_verdicts_.size(); ++kind) {
    if (ranking_.kinds()[kind].nodes == 0) continue;
    const NodeRanking::Leader leader = ranking_.leader(kind);
    RejectionId& verdict = kind_verdicts_[kind] = kPassed;
    for (const Plugin* plugin : topology_filters_) {
      if (!cycle.takes_part(plugin)) continue;
      verdict = plugin->filter(cycle, leader.node);
      if (verdict != kPassed) break;
    }
    if (verdict != kPassed) continue;
    finalists_.push_back({leader.node, ranking_.kinds()[kind].nodes, leader.position, leader.score});
  }
}

/// Looks at a node that is set aside as if there were no ranking.
void RankedSearch::look_at(Cycle& cycle, NodeId node, std::vector<std::pair<NodeId, RejectionId>>& refused) {
  if (const RejectionId verdict = cycle.filter_node(node); verdict != kPassed) {
    refused.emplace_back(node, verdict);
    return;
  }
  add_node_scores(cycle, std::span(&node, 1), ranks_);
  finalists_.push_back({node, 1, ranking_.position(node), ranks_.front()});
}

/// Settles the normalised scores among the finalists, and takes the best: of equals, the first in scan order.
void RankedSearch::choose(Cycle& cycle, Attempt& attempt) {
  if (finalists_.size() > 1) settle_scores(cycle);
  const auto best = std::min_element(finalists_.begin(), finalists_.end(), [](const Finalist& a, const Finalist& b) {
    return a.score != b.score ? a.score > b.score : a.position < b.position;
  });
  attempt.node = best->node;
  attempt.best = {best->node};
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

void RankedSearch::explain(const Cycle& cycle, const std::vector<std::pair<NodeId, RejectionId>>& refused,
                           Attempt& attempt) const {
  attempt.verdicts.resize(cycle.cluster().node_count());
  for (std::size_t i = 0; i < attempt.verdicts.size(); ++i) {
    const NodeId node{i};
    const RejectionId verdict = ranking_.verdict(node);
    attempt.verdicts[i] = verdict == kPassed ? kind_verdicts_[ranking_.kind_of(node)] : verdict;
  }
  for (const auto& [node, verdict] : refused) attempt.verdicts[node.index()] = verdict;
}

}  // namespace loadline::placement
