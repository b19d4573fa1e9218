// Which placement a group's cycle comes to, by kube-scheduler's rule.
#include "recorded_decisions/topology_comparison.h"

#include <gtest/gtest.h>

namespace loadline::recorded_decisions {
namespace {

RecordedGroupCycle cycle_in(const std::vector<std::vector<int>>& placements) {
  RecordedGroupCycle cycle;
  cycle.topology.emplace();
  for (const std::vector<int>& nodes : placements) cycle.topology->placements.push_back({"", nodes, 1, std::nullopt});
  return cycle;
}

GroupVerdict verdict(const std::string& outcome) {
  GroupVerdict made;
  made.outcome = outcome;
  made.message = outcome;
  return made;
}

TEST(ChosenPlacementTest, OneThatIsFeasibleIsTaken) {
  const ChosenPlacement chosen = choose(cycle_in({{0}, {1}}), {verdict("unschedulable"), verdict("scheduled")});
  EXPECT_EQ(chosen.index, 1U);
  EXPECT_EQ(chosen.verdict.outcome, "scheduled");
}

TEST(ChosenPlacementTest, OfSeveralItIsWhereMembersWereBound) {
  RecordedGroupCycle cycle = cycle_in({{0}, {1}, {2}});
  RecordedMember member;
  member.node = 2;
  cycle.members = {{}, member};
  const GroupVerdict fits = verdict("scheduled");
  EXPECT_EQ(choose(cycle, {fits, fits, fits}).index, 2U);
}

TEST(ChosenPlacementTest, WithoutOneTheFirstIsTold) {
  const GroupVerdict none = verdict("unschedulable");
  const ChosenPlacement chosen = choose(cycle_in({{0}, {1}}), {none, none});
  EXPECT_EQ(chosen.index, 0U);
  EXPECT_EQ(chosen.verdict.message, "0/2 placements are available, first placement status: pod group is unschedulable");
}

TEST(ChosenPlacementTest, AnErrorEndsTheCycle) {
  const ChosenPlacement chosen = choose(cycle_in({{0}, {1}, {2}}), {verdict("scheduled"), verdict("error")});
  EXPECT_EQ(chosen.index, 1U);
}

}  // namespace
}  // namespace loadline::recorded_decisions
