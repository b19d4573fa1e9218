#include "brain/cluster/spellings/kai.h"

#include <gtest/gtest.h>

namespace loadline::cluster::spellings {
namespace {

kube::KaiSubGroup part(const char* name, std::optional<std::int32_t> min_member, const char* parent = "") {
  kube::KaiSubGroup part;
  part.name = name;
  part.min_member = min_member;
  part.parent = parent;
  return part;
}

TEST(KaiGroups, NeedOnePodUnlessTheySayMore) {
  SymbolTable symbols;
  kube::KaiPodGroup group;
  group.metadata.name = "train";
  EXPECT_EQ(describe(group, symbols).min_count, 1);
  group.min_member = 4;
  EXPECT_EQ(describe(group, symbols).min_count, 4);
  EXPECT_EQ(describe(group, symbols).group, (GroupName{GroupSpelling::kKai, "train"}));
}

TEST(KaiGroups, NeedWhatTheirPartsNeed) {
  SymbolTable symbols;
  kube::KaiPodGroup group;
  group.subgroups = {part("decode", std::nullopt), part("leader", 1, "decode"), part("worker", 4, "decode"),
                     part("router", 2)};
  const GroupDescription all = describe(group, symbols);
  EXPECT_EQ(all.min_count, 7);
  ASSERT_EQ(all.rules.subgroups.size(), 4U);
  EXPECT_EQ(all.rules.subgroups[2].min_count, 4);
  EXPECT_EQ(all.rules.subgroups[2].selector,
            PodSelector::of_labels({{"kai.scheduler/subgroup-name", "worker"}}, symbols));

  group.min_subgroups = 1;  // either part is enough
  const GroupDescription either = describe(group, symbols);
  EXPECT_EQ(either.min_count, 2);
  EXPECT_EQ(either.rules.min_subgroups, 1);
  EXPECT_EQ(either.rules.subgroups[2].min_count, 4);
  EXPECT_EQ(either.rules.subgroups[2].part_of, 0U);
  EXPECT_EQ(either.rules.subgroups[3].part_of, std::nullopt);
}

TEST(KaiGroups, OfPartsThatAreEachOthersParentsComeToAnEnd) {
  SymbolTable symbols;
  kube::KaiPodGroup group;
  group.subgroups = {part("a", std::nullopt, "b"), part("b", std::nullopt, "a"), part("c", 2)};
  EXPECT_EQ(describe(group, symbols).min_count, 2);
}

TEST(KaiGroups, WishForLevelsOfATopology) {
  SymbolTable symbols;
  kube::KaiPodGroup group;
  group.topology = kube::KaiTopologyConstraint{"cluster", "zone", "rack"};
  const TopologyWish wish = describe(group, symbols).rules.topology;
  EXPECT_EQ(wish.topology, "cluster");
  EXPECT_EQ(wish.required, "zone");
  EXPECT_EQ(wish.preferred, "rack");
}

}  // namespace
}  // namespace loadline::cluster::spellings
