#include "brain/cluster/spellings/volcano.h"

#include <gmock/gmock.h>

namespace loadline::cluster::spellings {
namespace {

using ::testing::IsEmpty;

kube::VolcanoPodGroup group_of(std::int32_t min_member) {
  kube::VolcanoPodGroup group;
  group.metadata.namespace_ = "ml";
  group.metadata.name = "train";
  group.min_member = min_member;
  return group;
}

TEST(VolcanoGroups, HaveTheirMinimumAndWhetherTheyRan) {
  SymbolTable symbols;
  kube::VolcanoPodGroup group = group_of(4);
  GroupDescription said = describe(group, symbols);
  EXPECT_EQ(said.group, (GroupName{GroupSpelling::kVolcano, "train"}));
  EXPECT_EQ(said.name_space, "ml");
  EXPECT_EQ(said.min_count, 4);
  EXPECT_FALSE(said.has_started);
  group.status.phase = "Running";
  EXPECT_TRUE(describe(group, symbols).has_started);
}

TEST(VolcanoGroups, HaveMinimumsOfRolesUnlessTheseAreMoreThanTheirOwn) {
  SymbolTable symbols;
  kube::VolcanoPodGroup group = group_of(3);
  group.min_task_member = {{"master", 1}, {"ps", 0}, {"worker", 2}};
  const GroupDescription said = describe(group, symbols);
  ASSERT_EQ(said.rules.subgroups.size(), 2U);
  EXPECT_EQ(said.rules.subgroups[0].name, "master");
  EXPECT_EQ(said.rules.subgroups[1].min_count, 2);
  EXPECT_EQ(said.rules.subgroups[1].selector, PodSelector::of_labels({{"volcano.sh/task-spec", "worker"}}, symbols));
  group.min_task_member["worker"] = 3;
  EXPECT_THAT(describe(group, symbols).rules.subgroups, IsEmpty());
}

TEST(VolcanoGroups, WishForATierByItsNameOrNumber) {
  SymbolTable symbols;
  kube::VolcanoPodGroup group = group_of(2);
  group.topology = kube::VolcanoNetworkTopology{"hard", 2, ""};
  EXPECT_EQ(describe(group, symbols).rules.topology.required, "2");
  group.topology = kube::VolcanoNetworkTopology{"soft", std::nullopt, "rack"};
  EXPECT_EQ(describe(group, symbols).rules.topology.preferred, "rack");
  EXPECT_EQ(describe(group, symbols).rules.topology.required, "");
}

TEST(VolcanoGroups, HaveSlicesWherePartsAreToldByValuesOfLabels) {
  SymbolTable symbols;
  kube::VolcanoPodGroup group = group_of(8);
  kube::VolcanoSubGroupPolicy policy;
  policy.name = "worker";
  policy.match_label_keys = {"volcano.sh/partition-id"};
  policy.subgroup_size = 4;
  policy.min_subgroups = 2;
  policy.topology = kube::VolcanoNetworkTopology{"hard", 1, ""};
  group.subgroups = {policy};
  const GroupDescription said = describe(group, symbols);
  ASSERT_EQ(said.rules.subgroups.size(), 1U);
  EXPECT_EQ(said.rules.subgroups[0].min_count, 8);
  EXPECT_EQ(said.rules.subgroups[0].topology.slice_size, 4);
  EXPECT_EQ(said.rules.subgroups[0].topology.slice_required, "1");
  EXPECT_EQ(said.rules.subgroups[0].topology.required, "");
}

}  // namespace
}  // namespace loadline::cluster::spellings
