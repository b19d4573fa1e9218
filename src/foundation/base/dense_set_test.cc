#include "foundation/base/dense_set.h"

#include <gtest/gtest.h>

#include <vector>

#include "foundation/base/id.h"

namespace loadline {
namespace {

using ThingId = Id<struct ThingTag>;
using Things = DenseSet<ThingId>;

std::vector<std::size_t> members(const Things& things) {
  std::vector<std::size_t> indices;
  things.for_each([&](ThingId id) { indices.push_back(id.index()); });
  return indices;
}

Things set_of(std::size_t universe, const std::vector<std::size_t>& indices) {
  Things things(universe);
  for (const std::size_t index : indices) things.insert(ThingId{index});
  return things;
}

TEST(DenseSet, IteratesInAscendingOrderWhateverTheOrderOfInsertion) {
  EXPECT_EQ(members(set_of(200, {199, 64, 0, 63, 128})), (std::vector<std::size_t>{0, 63, 64, 128, 199}));
}

TEST(DenseSet, AFilledSetHoldsItsUniverseAndNothingElse) {
  for (const std::size_t universe : {0u, 1u, 63u, 64u, 65u, 128u, 130u}) {
    const Things things(universe, true);
    EXPECT_EQ(things.count(), universe);
    EXPECT_EQ(members(things).size(), universe);
    EXPECT_EQ(things.empty(), universe == 0);
    EXPECT_FALSE(things.contains(ThingId{universe}));
  }
}

TEST(DenseSet, AnInvalidIdIsNoMember) { EXPECT_FALSE(Things(70, true).contains(ThingId{})); }

TEST(DenseSet, EraseRemovesOneMember) {
  Things things = set_of(100, {3, 70});
  things.erase(ThingId{70});
  EXPECT_FALSE(things.contains(ThingId{70}));
  EXPECT_TRUE(things.contains(ThingId{3}));
  EXPECT_EQ(things.count(), 1u);
}

TEST(DenseSet, IntersectionAndUnionWorkAcrossWords) {
  Things both = set_of(130, {1, 64, 129});
  both &= set_of(130, {1, 65, 129});
  EXPECT_EQ(both, set_of(130, {1, 129}));
  Things either = set_of(130, {1, 64});
  either |= set_of(130, {65, 129});
  EXPECT_EQ(either, set_of(130, {1, 64, 65, 129}));
}

TEST(DenseSet, MayLoseMembersWhileItIsVisited) {
  Things things = set_of(200, {5, 6, 100, 150});
  std::vector<std::size_t> visited;
  things.for_each([&](ThingId id) {
    visited.push_back(id.index());
    things.erase(id);
  });
  EXPECT_EQ(visited, (std::vector<std::size_t>{5, 6, 100, 150}));
  EXPECT_TRUE(things.empty());
}

TEST(DenseSet, ResetForgetsMembersAndChangesTheUniverse) {
  Things things = set_of(10, {1, 2});
  things.reset(70);
  EXPECT_TRUE(things.empty());
  EXPECT_EQ(things.universe(), 70u);
}

}  // namespace
}  // namespace loadline
