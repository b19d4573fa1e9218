#include "brain/gang/topology/closeness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "brain/cluster/facts/topology_annotations.h"
#include "foundation/base/closest.h"

namespace loadline::gang {
namespace {

std::string hint(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view near = closest_qualified(word, known);
  return near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near);
}

std::string unknown_topology(const cluster::TopologyWish& wish, const cluster::Cluster& cluster) {
  std::vector<std::string_view> known;
  for (const auto& [name, spec] : cluster.topologies().all()) known.push_back(name);
  if (known.empty()) return fmt::format("there is no topology \"{}\", nor any other", wish.topology);
  return fmt::format("there is no topology \"{}\"; there is {}{}", wish.topology, fmt::join(known, ", "),
                     hint(wish.topology, known));
}

std::string unknown_level(const cluster::TopologyWish& wish, std::string_view level, const DomainTree& tree) {
  std::vector<std::string_view> known;
  std::vector<std::string> shown;
  for (std::size_t i = 1; i < tree.levels().size(); ++i) {
    const DomainTree::Level& each = tree.levels()[i];
    known.push_back(each.name);
    if (!each.alias.empty()) known.push_back(each.alias);
    shown.push_back(each.alias.empty() ? each.name : fmt::format("{} ({})", each.name, each.alias));
  }
  return fmt::format("topology \"{}\" has no level \"{}\"; it has {}{}", wish.topology, level, fmt::join(shown, ", "),
                     hint(level, known));
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

std::string no_topology_with(const cluster::TopologyWish& wish, const cluster::Cluster& cluster) {
  std::vector<std::string_view> known;
  for (const auto& [name, spec] : cluster.topologies().all()) {
    for (const cluster::TopologyLevel& level : spec.levels) {
      known.push_back(level.label);
      if (!level.alias.empty()) known.push_back(level.alias);
    }
  }
  const std::vector<std::string> levels = bare_labels(wish);
  std::string text = fmt::format("no topology has {} \"{}\"", levels.size() == 1 ? "the level" : "the levels",
                                 fmt::join(levels, "\", \""));
  for (const std::string& level : levels) {
    if (std::ranges::find(known, level) == known.end()) return text + hint(level, known);
  }
  return text;
}

}  // namespace

tl::expected<Closeness, std::string> resolve(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
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
  if (wish.slice_required.empty() != (wish.slice_size == 0)) {
    return tl::unexpected(
        wish.slice_size == 0 ? fmt::format("slices are to be within \"{}\", and nothing says how many pods a slice has",
                                           wish.slice_required)
                             : fmt::format("slices have {} pods, and nothing says within what", wish.slice_size));
  }
  close.slice_size = wish.slice_size;
  close.slices_are_whole = wish.slices_are_whole;
  if (close.slice_size > 0 && close.slice_level < close.ceiling) {
    return tl::unexpected(
        fmt::format("slices are to be within \"{}\", which is broader than \"{}\", where all pods are "
                    "to be",
                    wish.slice_required, wish.required));
  }
  return close;
}

}  // namespace loadline::gang
