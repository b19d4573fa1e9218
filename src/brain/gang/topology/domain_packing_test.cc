#include "brain/gang/topology/domain_packing.h"

#include <gmock/gmock.h>

#include <random>

namespace loadline::gang {
namespace {

using cluster::NodeId;

/// Domains of two levels; each rack's nodes by the room they have.
class DomainPackingTest : public ::testing::Test {
 protected:
  using Racks = std::vector<std::vector<std::int64_t>>;
  using Blocks = std::vector<Racks>;

  static DomainTree tree_of(const Blocks& blocks) {
    DomainTreeBuilder builder({{"block", {}}, {"rack", {}}});
    std::size_t nodes = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t block = builder.domain(0, 1, "b" + std::to_string(b));
      for (std::size_t r = 0; r < blocks[b].size(); ++r) {
        const std::size_t rack = builder.domain(block, 2, "r" + std::to_string(r));
        for (std::size_t i = 0; i < blocks[b][r].size(); ++i) builder.put(NodeId{nodes++}, rack);
      }
    }
    return std::move(builder).build(nodes);
  }
  static NodeRoom room_of(const Blocks& blocks) {
    NodeRoom room;
    for (const Racks& racks : blocks) {
      for (const auto& nodes : racks) room.insert(room.end(), nodes.begin(), nodes.end());
    }
    return room;
  }
  /// What each node takes; empty: no place.
  static NodeRoom packed(const Blocks& blocks, std::int64_t members, Slices slices = {}) {
    const DomainTree tree = tree_of(blocks);
    const auto shares = DomainPacking(tree, room_of(blocks), std::move(slices)).pack(0, members);
    NodeRoom taken(shares ? tree.nodes().size() : 0);
    if (!shares) return taken;
    for (const Share& share : *shares) taken[share.place] += share.members;
    return taken;
  }
  static Slices slices(std::int64_t size, std::vector<std::int64_t> present = {}) {
    return {size, 2, std::move(present)};
  }
};

TEST_F(DomainPackingTest, FillsTheLargestFirstAndPutsTheRestWhereItFitsBest) {
  EXPECT_EQ(packed({{{6}, {5}, {3}}}, 8), (NodeRoom{6, 0, 2}));
  EXPECT_EQ(packed({{{6}, {5}, {3}}}, 4), (NodeRoom{0, 4, 0}));
  EXPECT_EQ(packed({{{6}, {5}, {3}}}, 14), (NodeRoom{6, 5, 3}));
  EXPECT_EQ(packed({{{6}, {5}, {3}}}, 15), NodeRoom{});
}

TEST_F(DomainPackingTest, DescendsIntoTheSmallestBlockThatHolds) {
  EXPECT_EQ(packed({{{4, 4}, {4}}, {{2, 3}}}, 5), (NodeRoom{0, 0, 0, 2, 3}));
  EXPECT_EQ(packed({{{4, 4}, {4}}, {{2, 3}}}, 6), (NodeRoom{4, 2, 0, 0, 0}));
}

TEST_F(DomainPackingTest, SlicesStayInOneRack) {
  EXPECT_EQ(packed({{{5}, {7}, {3}}}, 8, slices(4)), (NodeRoom{4, 4, 0}));
  EXPECT_EQ(packed({{{5}, {7}, {3}}}, 12, slices(4)), NodeRoom{});
  EXPECT_EQ(packed({{{2, 2}, {3}}}, 4, slices(4)), (NodeRoom{2, 2, 0}));
}

TEST_F(DomainPackingTest, ALastSliceMayBeSmaller) {
  EXPECT_EQ(packed({{{5}, {7}, {3}}}, 11, slices(4)), (NodeRoom{4, 7, 0}));
  EXPECT_EQ(packed({{{4}, {4}, {1}}}, 10, slices(4)), NodeRoom{});
}

TEST_F(DomainPackingTest, ABegunSliceIsCompletedWhereItIs) {
  EXPECT_EQ(packed({{{2}, {8}}}, 2, slices(4, {2, 0})), (NodeRoom{2, 0}));
  EXPECT_EQ(packed({{{1}, {8}}}, 2, slices(4, {2, 0})), NodeRoom{});
  EXPECT_EQ(packed({{{4}, {8}}}, 6, slices(4, {2, 0})), (NodeRoom{2, 4}));
}

/// Whether the racks can be given so many members each that slices are whole, by trying all.
bool can_slice(const std::vector<std::int64_t>& racks, std::size_t next, std::int64_t members, std::int64_t size,
               bool has_rest) {
  if (members == 0) return true;
  if (next == racks.size()) return false;
  for (std::int64_t take = 0; take <= std::min(racks[next], members); ++take) {
    const bool is_rest = take % size != 0;
    if (is_rest && has_rest) continue;
    if (can_slice(racks, next + 1, members - take, size, has_rest || is_rest)) return true;
  }
  return false;
}

TEST_F(DomainPackingTest, FindsAPlaceExactlyWhereThereIsOne) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % (most + 1)); };
  for (int round = 0; round < 3000; ++round) {
    Blocks blocks(1 + random() % 3);
    std::vector<std::int64_t> racks;
    for (Racks& block : blocks) {
      block.resize(1 + random() % 3);
      for (auto& nodes : block) {
        racks.push_back(0);
        for (std::uint64_t i = 0; i <= random() % 3; ++i) racks.back() += nodes.emplace_back(below(4));
      }
    }
    const std::int64_t size = 1 + below(4);
    const std::int64_t members = 1 + below(20);
    const NodeRoom room = room_of(blocks);
    const NodeRoom taken = packed(blocks, members, slices(size));
    ASSERT_EQ(!taken.empty(), can_slice(racks, 0, members, size, false)) << "round " << round;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      ASSERT_LE(taken[i], room[i]);
      sum += taken[i];
    }
    if (!taken.empty()) {
      ASSERT_EQ(sum, members);
    }
  }
}

}  // namespace
}  // namespace loadline::gang
