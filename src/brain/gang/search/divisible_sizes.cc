#include "brain/gang/search/divisible_sizes.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace loadline::gang {
namespace {

__extension__ using Int128 = __int128;

/// Whether a·b <= c·d.
bool is_product_at_most(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return static_cast<Int128>(a) * b <= static_cast<Int128>(c) * d;
}

bool all_may_go_to_the_same(const Packing& packing) {
  return std::ranges::all_of(packing.nodes, [](const PackingNode& node) {
    return std::ranges::find(node.admits, !node.admits.front()) == node.admits.end();
  });
}

bool sizes_divide_each_other(const Packing& packing, std::size_t dimension) {
  std::set<std::int64_t> sizes;
  for (const PackingKind& kind : packing.kinds) sizes.insert(kind.request[dimension]);
  std::int64_t before = *sizes.begin();
  if (before <= 0) return false;
  for (const std::int64_t size : sizes) {
    if (size % before != 0) return false;
    before = size;
  }
  return true;
}

/// Whether nodes that are full in the dimension still have room in the others.
bool others_are_slack(const Packing& packing, std::size_t dimension) {
  for (const PackingNode& node : packing.nodes) {
    if (!node.admits.front() || node.free[dimension] <= 0) continue;
    for (std::size_t d = 0; d < node.free.size(); ++d) {
      for (const PackingKind& kind : packing.kinds) {
        if (d == dimension || kind.request[d] <= 0) continue;
        const bool is_slack = node.free[d] >= 0 && is_product_at_most(node.free[dimension], kind.request[d],
                                                                      node.free[d], kind.request[dimension]);
        if (!is_slack) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<std::size_t> divisible_dimension(const Packing& packing) {
  const bool minds = std::ranges::any_of(packing.kinds, [](const PackingKind& kind) { return kind.excludes != 0; });
  if (minds || packing.kinds.empty() || packing.nodes.empty() || !packing.demand.parts.empty()) return std::nullopt;
  if (!all_may_go_to_the_same(packing)) return std::nullopt;
  for (std::size_t d = 0; d < packing.nodes.front().free.size(); ++d) {
    if (sizes_divide_each_other(packing, d) && others_are_slack(packing, d)) return d;
  }
  return std::nullopt;
}

std::optional<std::vector<PackedMember>> largest_first(const Packing& packing, std::size_t dimension) {
  std::vector<std::size_t> members;  // by kind, the smallest first
  for (std::size_t k = 0; k < packing.kinds.size(); ++k) {
    members.insert(members.end(), static_cast<std::size_t>(packing.kinds[k].count), k);
  }
  const auto size = [&](std::size_t kind) { return packing.kinds[kind].request[dimension]; };
  std::ranges::stable_sort(members, {}, size);
  const auto asked = static_cast<std::size_t>(std::max<std::int64_t>(packing.demand.total, 0));
  if (asked > members.size()) return std::nullopt;
  members.resize(asked);
  std::set<std::pair<std::int64_t, std::size_t>> nodes;  // what is free, and where
  for (std::size_t n = 0; n < packing.nodes.size(); ++n) {
    if (packing.nodes[n].admits.front()) nodes.emplace(packing.nodes[n].free[dimension], n);
  }
  std::vector<PackedMember> placed;
  for (; !members.empty(); members.pop_back()) {
    const auto fullest = nodes.lower_bound({size(members.back()), 0});
    if (fullest == nodes.end()) return std::nullopt;
    const auto [free, node] = *fullest;
    nodes.erase(fullest);
    nodes.emplace(free - size(members.back()), node);
    placed.push_back({members.back(), node});
  }
  return placed;
}

}  // namespace loadline::gang
