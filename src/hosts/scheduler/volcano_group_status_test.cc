#include "hosts/scheduler/volcano_group_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "foundation/document/at.h"
#include "hosts/watching/observe.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

using enum TaskStatus;
using Tasks = std::vector<std::pair<TaskStatus, std::int64_t>>;

const Instant kSession = *parse_rfc3339("2026-01-01T00:00:01Z");

VolcanoGroupFacts facts(const Tasks& tasks) {
  VolcanoGroupFacts result;
  result.uid = "u1";
  for (const auto& [status, count] : tasks) result.tasks[status] = count;
  return result;
}

kube::VolcanoGroupStatus status(std::int32_t min_member, const VolcanoGroupFacts& facts) {
  kube::VolcanoPodGroup group;
  group.min_member = min_member;
  return status_of(group, facts, kSession);
}

std::string phase(std::int32_t min_member, const Tasks& tasks) { return status(min_member, facts(tasks)).phase; }

std::vector<std::string> types(const kube::VolcanoGroupStatus& status) {
  std::vector<std::string> result;
  for (const kube::VolcanoGroupCondition& condition : status.conditions) result.push_back(condition.type);
  return result;
}

watching::ObjectPtr<kube::VolcanoPodGroup> group_with(const std::string& status) {
  return watching::observe<kube::VolcanoPodGroup>(
      watching::testing::yaml(
          "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: train, namespace: "
          "default, uid: u1, resourceVersion: '7'}, spec: {minMember: 2, minResources: {cpu: 8}}, status: {" +
          status + "}}"),
      nullptr);
}

TEST(VolcanoGroupStatus, AGroupWithoutPodsIsLetInAndHasNoCondition) {
  const kube::VolcanoGroupStatus empty = status(3, facts({}));
  EXPECT_EQ(empty.phase, "Inqueue");
  EXPECT_THAT(empty.conditions, IsEmpty());
  EXPECT_EQ(phase(0, {}), "Inqueue") << "Completed would say that it had started";
}

TEST(VolcanoGroupStatus, AGroupThatWaitsSaysHowManyLackAPlaceAndWhy) {
  VolcanoGroupFacts waits = facts({{kPending, 3}});
  waits.fits = 2;
  waits.origin = " p2: 0/1 nodes are available: 1 Insufficient cpu.";
  const kube::VolcanoGroupStatus said = status(3, waits);
  EXPECT_EQ(said.phase, "Inqueue");
  ASSERT_THAT(said.conditions, SizeIs(1));
  EXPECT_EQ(said.conditions[0].type, "Unschedulable");
  EXPECT_EQ(said.conditions[0].status, "True");
  EXPECT_EQ(said.conditions[0].reason, "NotEnoughResources");
  EXPECT_EQ(said.conditions[0].message,
            "1/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; Pending: 1 "
            "Unschedulable, 2 Schedulable. Origin reason is p2: 0/1 nodes are available: 1 Insufficient cpu.");
  EXPECT_EQ(said.conditions[0].last_transition_time, kSession);
  EXPECT_THAT(said.conditions[0].transition_id, MatchesRegex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
}

TEST(VolcanoGroupStatus, AGroupThatLacksPodsSaysSo) {
  EXPECT_EQ(status(3, facts({{kPending, 2}})).conditions[0].message,
            "3/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 3 minAvailable; Pending: 2 "
            "Unschedulable");
}

TEST(VolcanoGroupStatus, MembersThatHaveGoneSinceTheTurnAreNotCounted) {
  VolcanoGroupFacts waits = facts({{kPending, 1}});
  waits.fits = 2;
  EXPECT_EQ(status(3, waits).conditions[0].message,
            "2/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 3 minAvailable; Pending: 1 "
            "Schedulable");
}

TEST(VolcanoGroupStatus, ThePhaseFollowsThePods) {
  EXPECT_EQ(phase(2, {{kBinding, 2}}), "Inqueue") << "the API server does not say so yet";
  EXPECT_EQ(phase(2, {{kBound, 2}}), "Running");
  EXPECT_EQ(phase(2, {{kRunning, 1}, {kBound, 1}, {kPending, 1}}), "Running");
  EXPECT_EQ(phase(2, {{kRunning, 1}, {kPending, 1}}), "Unknown");
  EXPECT_EQ(phase(2, {{kRunning, 1}, {kFailed, 1}}), "Unknown") << "what has failed is not ready";
  EXPECT_EQ(phase(2, {{kRunning, 1}, {kSucceeded, 1}}), "Running");
  EXPECT_EQ(phase(2, {{kFailed, 1}, {kSucceeded, 1}}), "Completed");
  EXPECT_EQ(phase(2, {{kSucceeded, 1}, {kPending, 1}}), "Inqueue");
  EXPECT_EQ(phase(2, {{kReleasing, 2}}), "Inqueue");
  EXPECT_EQ(phase(0, {{kPending, 1}}), "Inqueue");
}

TEST(VolcanoGroupStatus, CountsPodsThatRunAndHaveEnded) {
  const kube::VolcanoGroupStatus counted = status(2, facts({{kRunning, 3}, {kSucceeded, 2}, {kFailed, 1}}));
  EXPECT_EQ(counted.running, 3);
  EXPECT_EQ(counted.succeeded, 2);
  EXPECT_EQ(counted.failed, 1);
}

TEST(VolcanoGroupStatus, ConditionsOfTheOtherTypeStay) {
  kube::VolcanoPodGroup group;
  group.min_member = 2;
  group.status = status_of(group, facts({{kPending, 2}}), kSession);
  const std::string waited = group.status.conditions[0].transition_id;
  group.status = status_of(group, facts({{kBinding, 2}}), kSession + Duration::seconds(1));
  EXPECT_THAT(types(group.status), ElementsAre("Unschedulable", "Scheduled"));
  EXPECT_EQ(group.status.conditions[0].transition_id, waited);
  EXPECT_EQ(group.status.conditions[1].reason, "tasks in gang are ready to be scheduled");
  EXPECT_EQ(group.status.conditions[1].message, "");
  const std::string scheduled = group.status.conditions[1].transition_id;
  EXPECT_NE(scheduled, waited);
  group.status = status_of(group, facts({{kRunning, 2}}), kSession + Duration::seconds(2));
  EXPECT_THAT(types(group.status), ElementsAre("Unschedulable", "Scheduled"));
  EXPECT_NE(group.status.conditions[1].transition_id, scheduled) << "it is of the session that wrote";
}

TEST(VolcanoGroupStatus, IsWrittenOnlyIfMoreChangesThanTimes) {
  const std::string running =
      "phase: Running, running: 2, conditions: [{type: Scheduled, status: 'True', reason: tasks in gang are ready to "
      "be scheduled, transitionID: a, lastTransitionTime: '2020-01-01T00:00:00Z'}]";
  EXPECT_THAT(say_group_status(*group_with(running), facts({{kRunning, 2}}), kSession), IsEmpty());
  const auto actions = say_group_status(*group_with(running), facts({{kRunning, 2}, {kSucceeded, 1}}), kSession);
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(actions[0].verb, watching::Action::Verb::kPatch);
  EXPECT_EQ(actions[0].of.subresource, "") << "the kind has none";
  EXPECT_EQ(document::text_at(actions[0].document, {"metadata", "resourceVersion"}), "7");
  EXPECT_EQ(document::text_at(actions[0].document, {"metadata", "uid"}), "u1");
  EXPECT_EQ(actions[0].document.find("spec"), nullptr);
  EXPECT_TRUE(document::find_at(actions[0].document, {"status", "failed"})->is_null()) << "as Go leaves out a 0";
  EXPECT_EQ(document::value_at(actions[0].document, {"status", "succeeded"}).integer(), 1);
}

TEST(TaskCounts, PodsOnNodesOfWhichTheServerDoesNotKnowAreBeingBound) {
  TaskCounts tasks = facts({{kPending, 3}, {kRunning, 1}}).tasks;
  const TaskCounts seen = with_placed(tasks, 3);
  EXPECT_EQ(seen[kPending], 1);
  EXPECT_EQ(seen[kBinding], 2);
  EXPECT_EQ(with_placed(tasks, 0), tasks);
  EXPECT_EQ(with_placed(tasks, 9)[kBinding], 3);
}

}  // namespace
}  // namespace loadline::scheduler
