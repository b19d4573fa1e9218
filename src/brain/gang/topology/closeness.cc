#include "brain/gang/topology/closeness.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/topology_annotations.h"

namespace loadline::gang {
namespace {

tl::unexpected<WishFault> fault(decltype(WishFault::what) what) { return tl::unexpected(WishFault{std::move(what)}); }

WishFault::UnknownTopology unknown_topology(const cluster::TopologyWish& wish, const cluster::Cluster& cluster) {
  WishFault::UnknownTopology unknown{wish.topology, {}};
  for (const auto& [name, spec] : cluster.topologies().all()) unknown.known.push_back(name);
  return unknown;
}

/// Labels without a topology lie within each other in this order, if there are several.
std::vector<std::string> bare_labels(const cluster::TopologyWish& wish) {
  std::vector<std::string> labels;
  for (const std::string& each : {wish.required, wish.preferred, wish.slice_required}) {
    if (!each.empty() && std::ranges::find(labels, each) == labels.end()) labels.push_back(each);
  }
  return labels;
}

bool has_levels(const cluster::TopologyWish& wish, const DomainTree& tree) {
  return std::ranges::all_of(bare_labels(wish),
                             [&](const std::string& level) { return tree.find_level(level).has_value(); });
}

/// The first topology by name that has all levels of the wish; null: none has.
const DomainTree* find_by_levels(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
                                 DomainTrees& trees) {
  for (const auto& [name, spec] : cluster.topologies().all()) {
    const DomainTree* tree = trees.find(name);
    if (has_levels(wish, *tree)) return tree;
  }
  return nullptr;
}

WishFault::LevelsOfNoTopology no_topology_with(const cluster::TopologyWish& wish, const cluster::Cluster& cluster) {
  WishFault::LevelsOfNoTopology unknown{bare_labels(wish), {}};
  for (const auto& [name, spec] : cluster.topologies().all()) {
    for (const cluster::TopologyLevel& level : spec.levels) {
      unknown.known.push_back(level.label);
      if (!level.alias.empty()) unknown.known.push_back(level.alias);
    }
  }
  return unknown;
}

}  // namespace

tl::expected<Closeness, WishFault> resolve(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
                                           DomainTrees& trees) {
  Closeness close;
  if (wish.topology == cluster::kTopologyWithTheseLevels) {
    close.tree = find_by_levels(wish, cluster, trees);
    if (close.tree == nullptr) return fault(no_topology_with(wish, cluster));
  } else if (wish.topology.empty()) {
    const std::vector<std::string> labels = bare_labels(wish);
    close.tree = &trees.of_labels(labels);
    close.is_flat = labels.size() == 1;
    // Where no node has such labels, they are names of levels: a tier of HyperNodes, an alias.
    const bool has_domains = close.tree->domains().size() > 1;
    const DomainTree* named = has_domains ? nullptr : find_by_levels(wish, cluster, trees);
    if (named != nullptr) {
      close.tree = named;
      close.is_flat = false;
    }
  } else {
    close.tree = trees.find(wish.topology);
    if (close.tree == nullptr) return fault(unknown_topology(wish, cluster));
  }
  const std::pair<const std::string*, std::size_t*> levels[] = {
      {&wish.required, &close.ceiling}, {&wish.preferred, &close.start}, {&wish.slice_required, &close.slice_level}};
  for (const auto& [name, level] : levels) {
    if (name->empty()) continue;
    const std::optional<std::size_t> found = close.tree->find_level(*name);
    if (!found) {
      const std::vector<DomainTree::Level>& known = close.tree->levels();
      return fault(WishFault::UnknownLevel{wish.topology, *name, {known.begin() + 1, known.end()}});
    }
    *level = *found;
  }
  close.has_preference = !wish.preferred.empty();
  // What is together at a level is together at all broader ones.
  close.start = std::max(close.start, close.ceiling);
  const bool has_slice_level = !wish.slice_required.empty();
  if (has_slice_level && wish.slice_size == 0) return fault(WishFault::SlicesWithoutSize{wish.slice_required});
  if (!has_slice_level && wish.slice_size != 0) return fault(WishFault::SlicesWithoutLevel{wish.slice_size});
  close.slice_size = wish.slice_size;
  close.slices_are_whole = wish.slices_are_whole;
  if (close.slice_size > 0 && close.slice_level < close.ceiling) {
    return fault(WishFault::SlicesBroaderThanAll{wish.slice_required, wish.required});
  }
  return close;
}

}  // namespace loadline::gang
