#include "placement/facts_view.h"

#include <map>
#include <utility>

namespace loadline::placement {

using cluster::NodeId;

void FactsView::catch_up(Cycle& cycle, const FactsPlugins& plugins) {
  const cluster::Cluster& cluster = cycle.cluster();
  if (version_ == cluster.facts_version()) return;
  version_ = cluster.facts_version();
  slots_.resize(cluster.node_count());
  std::vector<NodeId> passing;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    RejectionId verdict = kPassed;
    for (const Plugin* plugin : plugins.filters) {
      verdict = plugin->filter(cycle, NodeId{i});
      if (verdict != kPassed) break;
    }
    slots_[i] = kRefused | verdict.value;
    if (verdict == kPassed) passing.emplace_back(i);
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
  scores_.clear();
  std::map<std::vector<std::int64_t>, Group> groups;
  std::vector<std::int64_t> key, last;
  Group group = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    key = {sums[i]};
    for (const std::vector<std::int64_t>& column : raw) key.push_back(column[i]);
    if (key != last) {
      const auto [entry, fresh] = groups.try_emplace(key, static_cast<Group>(groups.size()));
      if (fresh) scores_.push_back(sums[i]);
      group = entry->second;
      std::swap(last, key);
    }
    slots_[nodes[i].index()] = group;
  }
}

}  // namespace loadline::placement
