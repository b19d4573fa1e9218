#include "brain/placement/facts_view.h"

#include <algorithm>
#include <utility>

namespace loadline::placement {

using cluster::NodeId;

namespace {

constexpr std::size_t kSomeGroups = 256;

std::string shared_facts(const Cycle& cycle, const FactsPlugins& plugins) {
  Signature facts;
  for (const Plugin* plugin : plugins.filters) plugin->add_shared_facts(cycle, facts);
  for (const auto& [plugin, weight] : plugins.scores) plugin->add_shared_facts(cycle, facts);
  for (const Plugin* plugin : plugins.raw_scores) plugin->add_shared_facts(cycle, facts);
  return facts.key();
}

}  // namespace

void FactsView::catch_up(Cycle& cycle, const FactsPlugins& plugins) {
  const cluster::ChangeLog& log = cycle.cluster().facts_changes();
  const auto changes = log.since(caught_up_);
  if (!is_current(cycle, plugins) || !changes) {
    slots_.assign(cycle.cluster().node_slots(), 0);
    scores_.clear();
    groups_.clear();
    ++generation_;
    ask(cycle, plugins, cycle.cluster().nodes());
  } else if (!changes->empty()) {
    slots_.resize(cycle.cluster().node_slots());
    std::vector<NodeId> changed(changes->begin(), changes->end());
    std::erase_if(changed, [&](NodeId node) { return !cycle.cluster().is_node(node); });
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    ask(cycle, plugins, changed);
  }
  caught_up_ = log.end();
}

/// Whether what was learnt of nodes that did not change still holds. Groups that no node is in any more are kept for
/// the next, but not for ever.
bool FactsView::is_current(Cycle& cycle, const FactsPlugins& plugins) {
  const cluster::Cluster& cluster = cycle.cluster();
  bool current = scores_.size() <= 2 * cluster.node_count() + kSomeGroups;
  if (version_ == cluster.facts_version()) return current;
  version_ = cluster.facts_version();
  std::string facts = shared_facts(cycle, plugins);
  current = current && facts == shared_facts_;
  shared_facts_ = std::move(facts);
  return current;
}

void FactsView::ask(Cycle& cycle, const FactsPlugins& plugins, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> passing;
  for (const NodeId node : nodes) {
    RejectionId rejection = kPassed;
    for (const Plugin* plugin : plugins.filters) {
      rejection = plugin->filter(cycle, node);
      if (rejection != kPassed) break;
    }
    slots_[node.index()] = kRefused | rejection.value;
    if (rejection == kPassed) passing.push_back(node);
  }
  group(cycle, plugins, passing);
}

/// Nodes with equal scores, raw or summed, form a group.
void FactsView::group(Cycle& cycle, const FactsPlugins& plugins, const std::vector<NodeId>& nodes) {
  std::vector<std::int64_t> sums(nodes.size());
  std::vector<std::int64_t> scores(nodes.size());
  for (const auto& [plugin, weight] : plugins.scores) {
    std::fill(scores.begin(), scores.end(), 0);
    plugin->score(cycle, nodes, scores);
    for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += weight * scores[i];
  }
  std::vector<std::vector<std::int64_t>> raw;
  for (const Plugin* plugin : plugins.raw_scores) {
    raw.emplace_back(nodes.size());
    plugin->score(cycle, nodes, raw.back());
  }
  std::vector<std::int64_t> key, last;
  Group group = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    key = {sums[i]};
    for (const std::vector<std::int64_t>& column : raw) key.push_back(column[i]);
    if (key != last) {
      const auto [entry, fresh] = groups_.try_emplace(key, static_cast<Group>(groups_.size()));
      if (fresh) scores_.push_back(sums[i]);
      group = entry->second;
      std::swap(last, key);
    }
    slots_[nodes[i].index()] = group;
  }
}

}  // namespace loadline::placement
