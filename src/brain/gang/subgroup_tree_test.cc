#include "brain/gang/subgroup_tree.h"

#include <gmock/gmock.h>

#include <optional>

namespace loadline::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

cluster::SubGroup part(std::int32_t min_count, std::optional<std::size_t> part_of = {},
                       std::optional<std::int32_t> min_subgroups = {}) {
  cluster::SubGroup part;
  part.min_count = min_count;
  part.part_of = part_of;
  part.min_subgroups = min_subgroups;
  return part;
}

const auto kAny = [](std::size_t) { return true; };

TEST(SubgroupTree, NeedsAllUnlessItSaysOtherwise) {
  cluster::GroupRules rules;
  rules.subgroups = {part(1), part(2)};
  const SubgroupTree all(rules);
  EXPECT_FALSE(all.has_choice());
  EXPECT_THAT(all.sufficient(kAny, 9), ElementsAre(ElementsAre(0, 1)));
  EXPECT_FALSE(all.is_met([](std::size_t leaf) { return leaf == 0; }));
  EXPECT_TRUE(all.is_met(kAny));
}

TEST(SubgroupTree, ListsTheSmallestThatSufficeFirst) {
  cluster::GroupRules rules;
  rules.min_subgroups = 2;
  rules.subgroups = {part(9), part(2), part(3)};
  const SubgroupTree two(rules);
  EXPECT_TRUE(two.has_choice());
  EXPECT_THAT(two.sufficient(kAny, 9), ElementsAre(ElementsAre(1, 2), ElementsAre(0, 1), ElementsAre(0, 2)));
  EXPECT_THAT(two.sufficient(kAny, 2), SizeIs(2));
  EXPECT_THAT(two.sufficient([](std::size_t leaf) { return leaf != 1; }, 9), ElementsAre(ElementsAre(0, 2)));
  EXPECT_THAT(two.sufficient([](std::size_t leaf) { return leaf == 1; }, 9), IsEmpty());
  EXPECT_TRUE(two.is_met([](std::size_t leaf) { return leaf != 1; }));
  EXPECT_FALSE(two.is_met([](std::size_t leaf) { return leaf == 1; }));
}

TEST(SubgroupTree, HasPartsThatHaveParts) {
  // One of: 0 with both of its parts 2 and 3; 1 with either of its parts 4 and 5.
  cluster::GroupRules rules;
  rules.min_subgroups = 1;
  rules.subgroups = {part(0), part(0, {}, 1), part(1, 0), part(1, 0), part(4, 1), part(5, 1)};
  const SubgroupTree tree(rules);
  EXPECT_FALSE(tree.is_leaf(0));
  EXPECT_TRUE(tree.is_leaf(4));
  EXPECT_EQ(tree.parent_of(4), 1U);
  EXPECT_EQ(tree.parent_of(1), std::nullopt);
  EXPECT_THAT(tree.sufficient(kAny, 9), ElementsAre(ElementsAre(2, 3), ElementsAre(4), ElementsAre(5)));
}

TEST(SubgroupTree, LeavesOutPartsThatAreEachOthers) {
  cluster::GroupRules rules;
  rules.subgroups = {part(1, 1), part(1, 0), part(2)};
  const SubgroupTree tree(rules);
  EXPECT_THAT(tree.sufficient(kAny, 9), ElementsAre(ElementsAre(2)));
  EXPECT_FALSE(tree.is_leaf(0)) << "it has no pods";
  EXPECT_FALSE(tree.is_leaf(1));
  EXPECT_TRUE(tree.is_leaf(2));
}

TEST(SubgroupTree, OfNoneAtAllNeedsNothing) {
  cluster::GroupRules rules;
  rules.min_subgroups = 0;
  rules.subgroups = {part(1)};
  const SubgroupTree tree(rules);
  EXPECT_TRUE(tree.is_met([](std::size_t) { return false; }));
  EXPECT_THAT(tree.sufficient(kAny, 9), ElementsAre(IsEmpty()));
}

}  // namespace
}  // namespace loadline::gang
