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

}  // namespace
}  // namespace loadline::cluster::spellings
