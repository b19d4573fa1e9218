#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "brain/gang/search/packing.h"
#include "foundation/base/rng.h"

namespace loadline::gang::testing {

/// How a random puzzle is made.
struct PuzzleForm {
  std::size_t nodes = 10;
  std::size_t kinds = 6;
  std::size_t members = 40;
  std::size_t dimensions = 2;
};

/// Packings of which a solution is known, since they are made from one, and packings that are almost that.
class PackingPuzzles {
 public:
  explicit PackingPuzzles(std::uint64_t seed) : rng_(seed) {}

  [[nodiscard]] Rng& rng() { return rng_; }

  /// Members of random kinds lie on random nodes, and each node has what its members use: nodes that all differ, and
  /// are full in every dimension.
  Packing full_nodes(const PuzzleForm& form) {
    Packing packing = kinds_of(form);
    packing.nodes.assign(form.nodes, {std::vector<std::int64_t>(form.dimensions), {}, 0});
    for (std::size_t m = 0; m < form.members; ++m) {
      const std::size_t kind = m < form.kinds ? m : rng_.below(form.kinds);
      // At least one member on each node.
      const std::size_t node = m < form.nodes ? m : rng_.below(form.nodes);
      give(packing, kind, packing.nodes[node]);
    }
    return finished(std::move(packing));
  }

  /// Nodes that are all of one size, which is cut into three to five members in a few ways: equal nodes that are full
  /// in every dimension.
  Packing equal_nodes(const PuzzleForm& form) {
    Packing packing;
    std::vector<std::int64_t> size;
    for (std::size_t d = 0; d < form.dimensions; ++d) size.push_back(d == 0 ? 8 : 40 + std::int64_t(rng_.below(60)));
    packing.nodes.assign(form.nodes, {size, {}, 0});
    std::map<std::vector<std::int64_t>, std::size_t> known;
    std::size_t node = 0;
    while (node < form.nodes) {
      const bool has_kinds = packing.kinds.size() + 3 <= form.kinds;
      const std::size_t alike = has_kinds ? 1 + rng_.below(3) : form.nodes - node;
      const std::vector<std::vector<std::int64_t>> parts = cut(size, 3 + rng_.below(3));
      for (std::size_t i = 0; i < alike && node < form.nodes; ++i, ++node) {
        for (const std::vector<std::int64_t>& part : parts) {
          const auto [entry, is_new] = known.try_emplace(part, packing.kinds.size());
          if (is_new) packing.kinds.push_back({0, part, 0, 0});
          ++packing.kinds[entry->second].count;
        }
      }
    }
    return finished(std::move(packing));
  }

  /// Accelerators and what goes with them, as clusters have them: nodes of 8 GPUs, a part of each in use.
  Packing accelerators(const PuzzleForm& form) {
    Packing packing;
    for (std::size_t k = 0; k < form.kinds; ++k) {
      const auto gpus = static_cast<std::int64_t>(rng_.below(6));
      const auto cpus = 2 * gpus + static_cast<std::int64_t>(2 * rng_.below(8)) + (gpus == 0 ? 2 : 0);
      packing.kinds.push_back({1, {gpus, cpus}, 0, 0});
      if (form.dimensions > 2) packing.kinds.back().request.push_back(4 * cpus + std::int64_t(16 * rng_.below(8)));
    }
    for (std::size_t m = form.kinds; m < form.members; ++m) ++packing.kinds[rng_.below(form.kinds)].count;
    std::vector<std::int64_t> sums(form.dimensions);
    for (const PackingKind& kind : packing.kinds) {
      for (std::size_t d = 0; d < form.dimensions; ++d) sums[d] += kind.count * kind.request[d];
    }
    for (std::size_t n = 0; n < form.nodes; ++n) {
      PackingNode& node = packing.nodes.emplace_back();
      for (std::size_t d = 0; d < form.dimensions; ++d) {
        const std::int64_t fair = sums[d] / static_cast<std::int64_t>(form.nodes) + 1;
        node.free.push_back(fair + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(fair / 8 + 2))));
      }
    }
    return finished(std::move(packing));
  }

  /// A unit of some dimension is moved from one node to another, so that sums prove nothing.
  void move_a_unit(Packing& packing) {
    const std::size_t d = rng_.below(packing.nodes.front().free.size());
    const std::size_t from = rng_.below(packing.nodes.size());
    --packing.nodes[from].free[d];
    ++packing.nodes[(from + 1 + rng_.below(packing.nodes.size() - 1)) % packing.nodes.size()].free[d];
  }

  /// A kind may not go to some of the nodes.
  void close_some_nodes(Packing& packing) {
    const std::size_t kind = rng_.below(packing.kinds.size());
    for (PackingNode& node : packing.nodes) node.admits[kind] = rng_.below(3) > 0;
  }

 private:
  Packing kinds_of(const PuzzleForm& form) {
    Packing packing;
    for (std::size_t k = 0; k < form.kinds; ++k) {
      PackingKind& kind = packing.kinds.emplace_back();
      for (std::size_t d = 0; d < form.dimensions; ++d) {
        kind.request.push_back(1 + static_cast<std::int64_t>(rng_.below(d == 0 ? 4 : 16)));
      }
    }
    return packing;
  }

  static void give(Packing& packing, std::size_t kind, PackingNode& node) {
    ++packing.kinds[kind].count;
    for (std::size_t d = 0; d < node.free.size(); ++d) node.free[d] += packing.kinds[kind].request[d];
  }

  /// So many parts of the size, none of which is nothing.
  std::vector<std::vector<std::int64_t>> cut(const std::vector<std::int64_t>& size, std::size_t parts) {
    std::vector<std::vector<std::int64_t>> cuts(parts, std::vector<std::int64_t>(size.size(), 1));
    for (std::size_t d = 0; d < size.size(); ++d) {
      for (std::int64_t rest = size[d] - static_cast<std::int64_t>(parts); rest > 0; --rest) {
        ++cuts[rng_.below(parts)][d];
      }
    }
    return cuts;
  }

  static Packing finished(Packing packing) {
    packing.demand.total = 0;
    for (const PackingKind& kind : packing.kinds) packing.demand.total += kind.count;
    for (PackingNode& node : packing.nodes) node.admits.assign(packing.kinds.size(), true);
    return packing;
  }

  Rng rng_;
};

}  // namespace loadline::gang::testing
