// Whether a packing is found wherever there is one: against a count of all sets of members, on random small packings.
// LOADLINE_GROUP_SEARCH_CASES runs more cases, LOADLINE_GROUP_SEARCH_FIRST_CASE other ones.
#include "brain/gang/search/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "brain/gang/search/bin_completion.h"
#include "brain/gang/search/group_search.h"
#include "brain/gang/testing/random_cases.h"
#include "foundation/base/rng.h"

namespace loadline::gang {
namespace {

using testing::run_cases;
using testing::Told;

/// Which sets of members fit on the nodes together: for one node after another, every set that it can take.
class Subsets {
 public:
  explicit Subsets(const Packing& packing) : packing_(packing) {
    for (std::size_t k = 0; k < packing.kinds.size(); ++k) {
      for (std::int64_t i = 0; i < packing.kinds[k].count; ++i) members_.push_back(k);
    }
  }

  bool has_placement() {
    const std::uint32_t all = (1U << members_.size()) - 1;
    std::vector<bool> placed(all + 1U);
    placed[0] = true;
    for (const PackingNode& node : packing_.nodes) {
      std::vector<bool> next = placed;
      for (std::uint32_t here = 1; here <= all; ++here) {
        if (!fits(here, node)) continue;
        const std::uint32_t others = all & ~here;
        for (std::uint32_t before = others;; before = (before - 1) & others) {
          if (placed[before]) next[before | here] = true;
          if (before == 0) break;
        }
      }
      placed = std::move(next);
    }
    for (std::uint32_t set = 0; set <= all; ++set) {
      if (placed[set] && suffices(set)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool fits(std::uint32_t set, const PackingNode& node) const {
    std::vector<std::int64_t> used(node.free.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if ((set >> m & 1U) == 0) continue;
      const PackingKind& kind = packing_.kinds[members_[m]];
      if (!node.admits[members_[m]]) return false;
      for (std::size_t d = 0; d < used.size(); ++d) used[d] += kind.request[d];
      for (std::size_t o = 0; o < members_.size(); ++o) {
        const bool is_there = o != m && (set >> o & 1U) != 0;
        if (is_there && (kind.excludes & packing_.kinds[members_[o]].is) != 0) return false;
      }
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if ((set >> m & 1U) == 0) continue;
      for (std::size_t d = 0; d < used.size(); ++d) {
        if (packing_.kinds[members_[m]].request[d] > 0 && used[d] > node.free[d]) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool suffices(std::uint32_t set) const {
    const auto count_of = [&](auto&& is_counted) {
      std::int64_t count = 0;
      for (std::size_t m = 0; m < members_.size(); ++m)
        count += (set >> m & 1U) != 0 && is_counted(members_[m]) ? 1 : 0;
      return count;
    };
    if (count_of([](std::size_t) { return true; }) < packing_.demand.total) return false;
    return std::ranges::all_of(packing_.demand.parts, [&](const PackingDemand::Part& part) {
      return count_of([&](std::size_t kind) { return std::ranges::find(part.kinds, kind) != part.kinds.end(); }) >=
             part.least;
    });
  }

  const Packing& packing_;
  std::vector<std::size_t> members_;  // by member: its kind
};

/// The nodes get what some placement of the members uses, which hardly another one does with; or, as often as not, a
/// little is moved from one node to another then, so that perhaps none does.
void fit_tightly(Packing& packing, Rng& rng) {
  for (PackingNode& node : packing.nodes) node.free.assign(node.free.size(), 0);
  for (const PackingKind& kind : packing.kinds) {
    for (std::int64_t i = 0; i < kind.count; ++i) {
      PackingNode& node = packing.nodes[rng.below(packing.nodes.size())];
      for (std::size_t d = 0; d < node.free.size(); ++d) node.free[d] += kind.request[d];
    }
  }
  for (std::uint64_t moves = rng.below(3); moves > 0; --moves) {
    const std::size_t d = rng.below(packing.nodes.front().free.size());
    --packing.nodes[rng.below(packing.nodes.size())].free[d];
    ++packing.nodes[rng.below(packing.nodes.size())].free[d];
  }
}

/// Sizes and rooms are near each other, so that about as many cases can be solved as cannot.
Packing random_packing(Rng& rng, std::size_t most_nodes, std::size_t most_members) {
  Packing packing;
  const std::size_t dimensions = 1 + rng.below(3);
  const std::size_t nodes = 1 + rng.below(most_nodes);
  const std::size_t members = 1 + rng.below(most_members);
  const std::size_t kinds = 1 + rng.below(std::min<std::size_t>(members, 5));
  const bool is_power = rng.below(4) == 0;
  std::uint64_t room = 3 + rng.below(10);
  for (std::size_t k = 0; k < kinds; ++k) {
    PackingKind& kind = packing.kinds.emplace_back();
    kind.count = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      kind.request.push_back(is_power && d == 0 ? std::int64_t{1} << rng.below(4)
                                                : static_cast<std::int64_t>(rng.below(room)));
    }
  }
  for (std::size_t m = kinds; m < members; ++m) ++packing.kinds[rng.below(kinds)].count;
  if (rng.below(4) == 0) {
    for (std::size_t k = 0; k < kinds; ++k) packing.kinds[k].is = std::uint64_t{1} << k;
    for (std::uint64_t pairs = 1 + rng.below(3); pairs > 0; --pairs) {
      PackingKind& a = packing.kinds[rng.below(kinds)];
      PackingKind& b = packing.kinds[rng.below(kinds)];
      a.excludes |= b.is;
      b.excludes |= a.is;
    }
  }
  std::vector<std::int64_t> sums(dimensions);
  for (const PackingKind& kind : packing.kinds) {
    for (std::size_t d = 0; d < dimensions; ++d) sums[d] += kind.count * kind.request[d];
  }
  const bool is_open = rng.below(2) == 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    PackingNode& node = packing.nodes.emplace_back();
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t fair = sums[d] / static_cast<std::int64_t>(nodes) + 1;
      node.free.push_back(fair + static_cast<std::int64_t>(rng.below(4)) - 1);
    }
    for (std::size_t k = 0; k < kinds; ++k) node.admits.push_back(is_open || rng.below(4) > 0);
  }
  if (rng.below(2) == 0) fit_tightly(packing, rng);
  packing.demand.total = static_cast<std::int64_t>(rng.below(3) == 0 ? 1 + rng.below(members) : members);
  if (rng.below(4) == 0) {
    PackingDemand::Part& part = packing.demand.parts.emplace_back();
    for (std::size_t k = 0; k < kinds; ++k) {
      if (rng.below(2) == 0) part.kinds.push_back(k);
    }
    part.least = static_cast<std::int64_t>(rng.below(4));
  }
  return packing;
}

/// What the packing's answer promises: members go where they are admitted, and all of them fit.
void expect_holds(const Packing& packing, const PackingResult& result) {
  std::vector<PackingNode> nodes = packing.nodes;
  std::vector<std::int64_t> placed(packing.kinds.size());
  for (const PackedMember& member : result.members) {
    const PackingKind& kind = packing.kinds[member.kind];
    PackingNode& node = nodes[member.node];
    EXPECT_TRUE(node.admits[member.kind]);
    EXPECT_EQ(node.holds & kind.excludes, 0U);
    for (std::size_t d = 0; d < node.free.size(); ++d) {
      const bool has_room = kind.request[d] <= 0 || kind.request[d] <= node.free[d];
      EXPECT_TRUE(has_room);
      node.free[d] -= kind.request[d];
    }
    node.holds |= kind.is;
    EXPECT_LE(++placed[member.kind], kind.count);
  }
  EXPECT_GE(std::ssize(result.members), packing.demand.total);
  for (const PackingDemand::Part& part : packing.demand.parts) {
    std::int64_t of_part = 0;
    for (const std::size_t kind : part.kinds) of_part += placed[kind];
    EXPECT_GE(of_part, part.least);
  }
}

Told try_packing(Rng& rng, std::size_t most_nodes, std::size_t most_members) {
  const Packing packing = random_packing(rng, most_nodes, most_members);
  const bool expected = Subsets(packing).has_placement();
  const PackingResult result = pack(packing, kSearchBudget);
  EXPECT_NE(result.ending, PackingResult::Ending::kBudget);
  EXPECT_EQ(result.ending == PackingResult::Ending::kFound, expected);
  EXPECT_FALSE(expected && shortage_of(packing)) << "a bound that proves too much";
  if (result.ending == PackingResult::Ending::kFound) expect_holds(packing, result);
  // Packings so small rarely need it.
  const PackingResult filled = BinCompletion(packing, kSearchBudget).run();
  EXPECT_EQ(filled.ending, expected ? PackingResult::Ending::kFound : PackingResult::Ending::kProven);
  if (filled.ending == PackingResult::Ending::kFound) expect_holds(packing, filled);
  return {expected ? "found" : "proven", std::max(result.steps, filled.steps)};
}

TEST(GroupSearchCompleteness, PackingsOfUpToSevenMembersOnSixNodes) {
  run_cases("packing 6 x 7", 2000, [](std::uint64_t seed) {
    Rng rng(seed);
    return try_packing(rng, 6, 7);
  });
}

TEST(GroupSearchCompleteness, PackingsOfUpToTenMembersOnEightNodes) {
  run_cases("packing 8 x 10", 200, [](std::uint64_t seed) {
    Rng rng(seed ^ 0x8010);
    return try_packing(rng, 8, 10);
  });
}

}  // namespace
}  // namespace loadline::gang
