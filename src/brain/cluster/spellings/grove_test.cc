#include "brain/cluster/spellings/grove.h"

#include <gtest/gtest.h>

namespace loadline::cluster::spellings {
namespace {

TEST(GroveGangs, NeedWhatEachOfTheirGroupsNeeds) {
  SymbolTable symbols;
  kube::PodGang gang;
  gang.metadata.name = "llm-0";
  gang.pack = {"zone", "rack"};
  gang.groups.resize(2);
  gang.groups[0].name = "llm-0-router";
  gang.groups[0].min_replicas = 1;
  gang.groups[1].name = "llm-0-decode";
  gang.groups[1].min_replicas = 3;
  gang.groups[1].pack.required = "nvlink";
  const GroupDescription said = describe(gang, symbols);
  EXPECT_EQ(said.group, (GroupName{GroupSpelling::kGrove, "llm-0"}));
  EXPECT_EQ(said.min_count, 4);
  EXPECT_EQ(said.rules.topology.required, "zone");
  EXPECT_EQ(said.rules.topology.preferred, "rack");
  ASSERT_EQ(said.rules.subgroups.size(), 2U);
  EXPECT_EQ(said.rules.subgroups[1].min_count, 3);
  EXPECT_EQ(said.rules.subgroups[1].topology.required, "nvlink");
  EXPECT_EQ(said.rules.subgroups[1].selector,
            PodSelector::of_labels({{"grove.io/podclique", "llm-0-decode"}}, symbols));
}

TEST(GroveGangs, HaveGroupsThatAreNearEachOther) {
  SymbolTable symbols;
  kube::PodGang gang;
  gang.groups.resize(3);
  gang.groups[0].name = "router";
  gang.groups[1].name = "leader";
  gang.groups[2].name = "worker";
  gang.shared_constraints = {{"decode", {"leader", "worker", "nobody"}, {"rack", "host"}}};
  const GroupRules rules = describe(gang, symbols).rules;
  ASSERT_EQ(rules.subgroups.size(), 4U);
  EXPECT_EQ(rules.subgroups[0].part_of, std::nullopt);
  EXPECT_EQ(rules.subgroups[1].part_of, 3U);
  EXPECT_EQ(rules.subgroups[2].part_of, 3U);
  EXPECT_EQ(rules.subgroups[3].topology.required, "rack");
  EXPECT_EQ(rules.subgroups[3].topology.preferred, "host");
}

}  // namespace
}  // namespace loadline::cluster::spellings
