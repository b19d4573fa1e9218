#include "recorded_decisions/group_verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loadline::recorded_decisions {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kRefused =
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, "
    "one or more plugins asked to wait and no plugin rejected pod";
constexpr const char* kWaits = "pod group is unschedulable, pod group is waiting for preemption to complete";

/// f: fits, p: preempts, r: is rejected, e: fails.
GroupFacts facts(std::optional<int> min_count, const std::string& turns) {
  GroupFacts made;
  made.pod_group = "a/g";
  made.min_count = min_count;
  made.members = turns.size();
  for (const char turn : turns) {
    const MemberResult result = turn == 'f'   ? MemberResult::kFits
                                : turn == 'p' ? MemberResult::kPreempts
                                : turn == 'r' ? MemberResult::kRejected
                                              : MemberResult::kFailed;
    made.turns.push_back({result, result == MemberResult::kFits ? "" : std::string("why ") + turn});
  }
  return made;
}

std::string outcome(std::optional<int> min_count, const std::string& turns) {
  return group_verdict(facts(min_count, turns)).outcome;
}

TEST(GroupVerdict, AsManyAsTheMinimumHaveToFit) {
  EXPECT_EQ(outcome(2, "ff"), "scheduled");
  EXPECT_EQ(outcome(2, "frf"), "scheduled");
  EXPECT_EQ(outcome(3, "frf"), "unschedulable");
  EXPECT_EQ(outcome(1, "r"), "unschedulable");
}

TEST(GroupVerdict, ABasicGroupNeedsOne) {
  EXPECT_EQ(outcome(std::nullopt, "rf"), "scheduled");
  EXPECT_EQ(outcome(std::nullopt, "rr"), "unschedulable");
}

TEST(GroupVerdict, MembersThatHaveTheirNodesCount) {
  GroupFacts more = facts(3, "f");
  more.scheduled_before = 2;
  EXPECT_EQ(group_verdict(more).outcome, "scheduled");
}

TEST(GroupVerdict, OneThatPreemptsLetsAllWait) {
  EXPECT_EQ(outcome(2, "fp"), "waiting for preemption");
  EXPECT_EQ(outcome(2, "pff"), "waiting for preemption") << "though two fit without it";
  EXPECT_EQ(outcome(2, "ffp"), "waiting for preemption") << "a surplus member, too";
  EXPECT_EQ(outcome(3, "fpr"), "unschedulable") << "it evicts in vain";
  EXPECT_EQ(outcome(std::nullopt, "p"), "waiting for preemption");
}

TEST(GroupVerdict, PermitAnswersMemberByMember) {
  EXPECT_EQ(group_verdict(facts(2, "frff")).permits, (Texts{"Wait", "", "Success", "Success"}));
  GroupFacts gone = facts(2, "f");
  gone.is_gone = true;
  EXPECT_EQ(group_verdict(gone).permits, Texts{"Error"});
}

TEST(GroupVerdict, EachMemberIsToldWhy) {
  const GroupVerdict started = group_verdict(facts(1, "fr"));
  EXPECT_TRUE(started.members[0].bound);
  EXPECT_FALSE(started.members[1].bound);
  EXPECT_EQ(started.members[1].message, "why r");
  EXPECT_EQ(started.members[1].nomination, Nomination::kAsDecided);

  const GroupVerdict waits = group_verdict(facts(2, "fpr"));
  EXPECT_EQ(waits.message, kWaits);
  EXPECT_EQ(waits.members[0].message, kWaits);
  EXPECT_EQ(waits.members[0].nomination, Nomination::kToItsNode);
  EXPECT_EQ(waits.members[1].message, "why p");
  EXPECT_EQ(waits.members[1].nomination, Nomination::kToItsNode);
  EXPECT_EQ(waits.members[2].message, "why r");

  const GroupVerdict refused = group_verdict(facts(3, "fpr"));
  EXPECT_EQ(refused.message, "pod group is unschedulable");
  EXPECT_EQ(refused.members[0].message, kRefused);
  EXPECT_EQ(refused.members[1].message, kRefused) << "its victims are gone all the same";
  EXPECT_EQ(refused.members[1].nomination, Nomination::kWithdrawn);
  EXPECT_EQ(refused.members[2].message, "why r");
}

TEST(GroupVerdict, AnErrorIsEverybodys) {
  GroupFacts failed = facts(1, "fe");
  failed.members = 3;
  const GroupVerdict verdict = group_verdict(failed);
  const std::string of_others = "failed to schedule other pod from a pod group: why e";
  EXPECT_EQ(verdict.outcome, "error");
  EXPECT_EQ(verdict.message, of_others);
  EXPECT_EQ(verdict.members[0].message, of_others);
  EXPECT_EQ(verdict.members[1].message, "why e");
  EXPECT_EQ(verdict.members[2].message, of_others);
  EXPECT_EQ(verdict.members[0].reason, "SchedulerError");
}

TEST(GroupVerdict, PermitFailsOnceTheGroupIsGone) {
  GroupFacts gone = facts(std::nullopt, "rf");
  gone.is_gone = true;
  const GroupVerdict verdict = group_verdict(gone);
  EXPECT_EQ(
      verdict.members[1].message,
      "running Permit plugin \"GangScheduling\": failed to get podGroup a/g: podgroup.scheduling.k8s.io \"g\" not "
      "found");
  gone.turns.pop_back();
  gone.members = 1;
  EXPECT_EQ(group_verdict(gone).outcome, "unschedulable") << "Permit was not asked";
}

TEST(GroupVerdict, MembersOfTwoSchedulersAreRefused) {
  EXPECT_EQ(refused_for_schedulers({"a", "a"}), std::nullopt);
  EXPECT_EQ(refused_for_schedulers({"a", "a", "b"}),
            "all pods in a single pod group should have the same .spec.schedulerName set, got: \"b\" and \"a\"");
}

}  // namespace
}  // namespace loadline::recorded_decisions
