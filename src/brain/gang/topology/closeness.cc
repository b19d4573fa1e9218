#include "brain/gang/topology/closeness.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/topology_annotations.h"

namespace loadline::gang {
namespace {

WishFault unknown_topology(const cluster::TopologyWish& wish, const cluster::Cluster& cluster) {
  WishFault fault{.kind = WishFault::Kind::kUnknownTopology, .topology = wish.topology};
  for (const auto& [name, spec] : cluster.topologies().all()) fault.known.push_back({name, {}});
  return fault;
}

WishFault unknown_level(const cluster::TopologyWish& wish, const std::string& level, const DomainTree& tree) {
  WishFault fault{.kind = WishFault::Kind::kUnknownLevel, .topology = wish.topology, .levels = {level}};
  fault.known.assign(tree.levels().begin() + 1, tree.levels().end());
  return fault;
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

WishFault no_topology_with(const cluster::TopologyWish& wish, const cluster::Cluster& cluster) {
  WishFault fault{.kind = WishFault::Kind::kLevelsOfNoTopology, .levels = bare_labels(wish)};
  for (const auto& [name, spec] : cluster.topologies().all()) {
    for (const cluster::TopologyLevel& level : spec.levels) fault.known.push_back({level.label, level.alias});
  }
  return fault;
}

/// What is wrong with what is said of slices, beside their level, which may be unknown.
std::optional<WishFault> fault_of_slices(const cluster::TopologyWish& wish) {
  using Kind = WishFault::Kind;
  const bool has_level = !wish.slice_required.empty();
  if (has_level && wish.slice_size == 0) {
    return WishFault{.kind = Kind::kSlicesWithoutSize, .levels = {wish.slice_required}};
  }
  if (!has_level && wish.slice_size != 0) return WishFault{.kind = Kind::kSlicesWithoutLevel, .size = wish.slice_size};
  return std::nullopt;
}

}  // namespace

tl::expected<Closeness, WishFault> resolve(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
                                           DomainTrees& trees) {
  Closeness close;
  if (wish.topology == cluster::kTopologyWithTheseLevels) {
    close.tree = find_by_levels(wish, cluster, trees);
    if (close.tree == nullptr) return tl::unexpected(no_topology_with(wish, cluster));
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
    if (close.tree == nullptr) return tl::unexpected(unknown_topology(wish, cluster));
  }
  const std::pair<const std::string*, std::size_t*> levels[] = {
      {&wish.required, &close.ceiling}, {&wish.preferred, &close.start}, {&wish.slice_required, &close.slice_level}};
  for (const auto& [name, level] : levels) {
    if (name->empty()) continue;
    const std::optional<std::size_t> found = close.tree->find_level(*name);
    if (!found) return tl::unexpected(unknown_level(wish, *name, *close.tree));
    *level = *found;
  }
  close.has_preference = !wish.preferred.empty();
  // What is together at a level is together at all broader ones.
  close.start = std::max(close.start, close.ceiling);
  if (std::optional<WishFault> fault = fault_of_slices(wish)) return tl::unexpected(*std::move(fault));
  close.slice_size = wish.slice_size;
  close.slices_are_whole = wish.slices_are_whole;
  if (close.slice_size > 0 && close.slice_level < close.ceiling) {
    return tl::unexpected(
        WishFault{.kind = WishFault::Kind::kSlicesBroaderThanAll, .levels = {wish.slice_required, wish.required}});
  }
  return close;
}

}  // namespace loadline::gang
