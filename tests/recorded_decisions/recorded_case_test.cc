#include "recorded_decisions/recorded_case.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "recorded_decisions/testing/tiny_case.h"

namespace loadline::recorded_decisions {
namespace {

using testing::case_text;
using testing::node;

std::string fault_of(const std::string& expected) {
  const std::string input = R"({"nodes":[)" + node("n1", "1") + "]}";
  const Result<RecordedCase> read = parse_case(case_text(input, expected), "case");
  return read ? "" : read.error().message;
}

TEST(RecordedCase, AnAttemptIsReadWhole) {
  const std::string expected = R"({"nodeNames":["n1","n2"],"scorePlugins":["A","B"],"attempts":[
    {"seq":7,"pod":"a/p","nominatedBefore":"n2","otherNominated":["a/q@n1"],"feasible":[0,1],
     "infeasible":[{"plugin":"X","code":"Unschedulable","reasons":["r"],"nodes":[1]}],"preFilterNodes":[1],
     "skippedFilter":["S"],"skippedScore":["T"],"scores":[[1,5,2,3]],"maxScore":5,"maxNodes":[1],"result":"scheduled",
     "node":1,"chosenIsMax":false,"victims":["a/v"]},
    {"seq":8,"pod":"a/q","result":"unschedulable","message":"m","unschedulablePlugins":["X"],"nominatedNode":"n1",
     "preemption":{"eligible":true,"why":"w","candidates":[{"node":1,"victims":["a/v"],"pdbViolations":2}],"best":[1]},
     "volumeUpdates":{}}]})";
  const Result<RecordedCase> read = parse_case(case_text("{}", expected), "case");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "tiny");
  ASSERT_EQ(read->attempts.size(), 2u);
  const RecordedAttempt& first = read->attempts[0];
  EXPECT_EQ(first.sequence, 7);
  EXPECT_EQ(first.nominated_before, "n2");
  EXPECT_EQ(first.other_nominated, std::vector<std::string>{"a/q@n1"});
  EXPECT_EQ(first.feasible, (std::vector<int>{0, 1}));
  EXPECT_EQ(first.infeasible.at(0).nodes, std::vector<int>{1});
  EXPECT_EQ(first.pre_filter_nodes, std::vector<int>{1});
  EXPECT_EQ(first.scores.at(0).node, 1);
  EXPECT_EQ(first.scores.at(0).total, 5);
  EXPECT_EQ(first.scores.at(0).by_plugin, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(first.node, 1);
  EXPECT_FALSE(first.chosen_is_max);
  EXPECT_EQ(first.victims, std::vector<std::string>{"a/v"});
  const RecordedAttempt& second = read->attempts[1];
  EXPECT_EQ(second.message, "m");
  ASSERT_TRUE(second.preemption);
  EXPECT_EQ(second.preemption->candidates.at(0).budget_violations, 2);
  EXPECT_EQ(second.preemption->best, std::vector<int>{1});
  EXPECT_TRUE(second.volume_updates.claims.empty());
}

TEST(RecordedCase, ACycleOfAGroupIsReadWhole) {
  const std::string expected = R"({"nodeNames":["n1","n2"],"attempts":[
    {"seq":0,"pod":"a/p","result":"scheduled","node":1,"groupCycle":0,"assumed":1,"permit":"Wait"}],"groupCycles":[
    {"podGroup":"a/g","minCount":3,"gone":true,"scheduledBefore":1,"firstAttempt":5,"outcome":"unschedulable",
     "members":[{"pod":"a/p","node":1,"reason":"R","message":"m","nominatedNode":"n2","volumeUpdates":{}}],
     "condition":{"status":"False","reason":"C","message":"n"}}]})";
  const Result<RecordedCase> read = parse_case(case_text("{}", expected), "case");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->attempts.at(0).group_cycle, 0);
  EXPECT_EQ(read->attempts.at(0).assumed, 1);
  EXPECT_EQ(read->attempts.at(0).permit, "Wait");
  const RecordedGroupCycle& cycle = read->group_cycles.at(0);
  EXPECT_EQ(cycle.pod_group, "a/g");
  EXPECT_EQ(cycle.min_count, 3);
  EXPECT_TRUE(cycle.is_gone);
  EXPECT_EQ(cycle.scheduled_before, 1);
  EXPECT_EQ(cycle.first_attempt, 5);
  EXPECT_EQ(cycle.outcome, "unschedulable");
  EXPECT_EQ(cycle.members.at(0).pod, "a/p");
  EXPECT_EQ(cycle.members.at(0).node, 1);
  EXPECT_EQ(cycle.members.at(0).reason, "R");
  EXPECT_EQ(cycle.members.at(0).message, "m");
  EXPECT_EQ(cycle.members.at(0).nominated_node, "n2");
  ASSERT_TRUE(cycle.condition);
  EXPECT_EQ(cycle.condition->reason, "C");
  EXPECT_EQ(fault_of(R"({"nodeNames":["n1"],"groupCycles":[{"members":[{"node":4}]}]})"),
            "case: expected: groupCycles[0].members[0].node: expected a number below 1, got 4");
}

TEST(RecordedCase, AFaultNamesItsPlace) {
  const std::pair<const char*, const char*> faults[] = {
      {R"([])", "case: expected: expected an object, got a list"},
      {R"({"nodeNames":"n1"})", "case: expected: nodeNames: expected a list, got string \"n1\""},
      {R"({"nodeNames":[1]})", "case: expected: nodeNames[0]: expected a string, got number 1"},
      {R"({"attempts":[{"result":"error"}]})",
       "case: expected: attempts[0].pod: expected the name of a pod, \"namespace/name\""},
      {R"({"attempts":[{"pod":"a/p","result":"lost"}]})",
       "case: expected: attempts[0].result: expected \"scheduled\", \"unschedulable\" or \"error\""},
      {R"({"attempts":[{"pod":"a/p","result":"scheduled"}]})",
       "case: expected: attempts[0].node: expected the node of a scheduled pod, and of no other"},
      {R"({"nodeNames":["n1"],"attempts":[{"pod":"a/p","result":"scheduled","node":1}]})",
       "case: expected: attempts[0].node: expected a number below 1, got 1"},
      {R"({"nodeNames":["n1"],"attempts":[{"pod":"a/p","result":"error","infeasible":[{"nodes":[0,-1]}]}]})",
       "case: expected: attempts[0].infeasible[0].nodes[1]: expected a number below 1, got -1"},
      {R"({"nodeNames":["n1"],"scorePlugins":["A"],"attempts":[{"pod":"a/p","result":"error","scores":[[0,1]]}]})",
       "case: expected: attempts[0].scores[0]: expected a node, a total and 1 scores"},
      {R"({"nodeNames":["n1"],"attempts":[{"pod":"a/p","result":"error","scores":[[1,1]]}]})",
       "case: expected: attempts[0].scores[0]: names no node"},
      {R"({"attempts":[{"pod":"a/p","result":"error","preemption":{"eligible":"yes"}}]})",
       "case: expected: attempts[0].preemption.eligible: expected true or false, got string \"yes\""},
  };
  for (const auto& [expected, message] : faults) EXPECT_EQ(fault_of(expected), message) << expected;
}

TEST(RecordedCase, ARecordingThatContradictsItselfIsAnError) {
  const auto outcome = [](const std::string& pending, const std::string& attempt) {
    return testing::outcome_of(case_text(R"({"nodes":[)" + node("n1", "4") + R"(],"pods":[)" +
                                             testing::pod_on("x", "n1") + R"(],"pendingPods":[)" + pending + "]}",
                                         R"({"nodeNames":["n1","n9"],"attempts":[)" + attempt + "]}"));
  };
  const std::string p = testing::pod("p");
  EXPECT_EQ(outcome(p, R"({"pod":"a/q","result":"unschedulable"})"), "tiny: attempt 0 (a/q): there is no pod a/q");
  EXPECT_EQ(outcome(p, R"({"pod":"a/x","result":"unschedulable"})"),
            "tiny: attempt 0 (a/x): the pod is on a node already");
  EXPECT_EQ(outcome(testing::pod("x"), ""), "tiny: input: pod a/x comes twice");
  EXPECT_EQ(outcome(p, R"({"pod":"a/p","result":"scheduled","node":1})"), "tiny: attempt 0 (a/p): there is no node n9");
  EXPECT_EQ(outcome(p, R"({"pod":"a/p","result":"unschedulable","victims":["a/y"]})"),
            "tiny: attempt 0 (a/p): victim: there is no pod a/y");
  EXPECT_EQ(outcome(p, R"({"pod":"a/p","result":"unschedulable","otherNominated":["a/y@n1"]})"),
            "tiny: attempt 0 (a/p): nomination: there is no pod a/y");
  EXPECT_EQ(outcome(p, R"({"pod":"a/p","result":"unschedulable","otherNominated":["a/x"]})"),
            "tiny: attempt 0 (a/p): nomination \"a/x\" is not of the form pod@node");
}

TEST(RecordedCase, AFolderWithoutACaseIsAnError) {
  EXPECT_EQ(load_case("no/such/folder").error().message, "no/such/folder/input.json: cannot be read");
}

}  // namespace
}  // namespace loadline::recorded_decisions
