#include "brain/gang/topology/domain_trees.h"

#include <algorithm>

#include "brain/gang/topology/hyper_nodes.h"
#include "brain/gang/topology/label_levels.h"

namespace loadline::gang {

const DomainTree* DomainTrees::find(std::string_view topology) {
  if (specs_seen_ != cluster_.topologies().version()) named_.clear();
  specs_seen_ = cluster_.topologies().version();
  const cluster::TopologySpec* spec = cluster_.topologies().find(topology);
  if (spec == nullptr) return nullptr;
  const auto [known, is_new] = named_.try_emplace(std::string(topology));
  Kept& kept = known->second;
  if (!is_new && is_current(kept)) return &kept.tree;
  kept.is_by_labels = spec->hyper_nodes.empty();
  see(kept);
  kept.tree =
      kept.is_by_labels ? tree_of_labels(cluster_, spec->levels) : tree_of_hyper_nodes(cluster_, spec->hyper_nodes);
  return &kept.tree;
}

const DomainTree& DomainTrees::of_labels(const std::vector<std::string>& labels) {
  const auto [known, is_new] = by_labels_.try_emplace(labels);
  Kept& kept = known->second;
  if (!is_new && is_current(kept)) return kept.tree;
  std::vector<cluster::TopologyLevel> levels;
  for (const std::string& label : labels) levels.push_back({label, {}});
  see(kept);
  kept.tree = tree_of_labels(cluster_, levels);
  return kept.tree;
}

void DomainTrees::see(Kept& kept) const {
  kept.seen = cluster_.facts_changes().end();
  kept.members_seen = cluster_.membership_changes().end();
}

bool DomainTrees::is_current(Kept& kept) const {
  if (kept.members_seen != cluster_.membership_changes().end()) return false;
  const auto changed = cluster_.facts_changes().since(kept.seen);
  if (!changed) return false;
  if (!kept.is_by_labels && !changed->empty()) return false;
  const bool all_stay =
      std::ranges::all_of(*changed, [&](cluster::NodeId node) { return is_in_place(cluster_, kept.tree, node); });
  if (all_stay) kept.seen = cluster_.facts_changes().end();
  return all_stay;
}

}  // namespace loadline::gang
