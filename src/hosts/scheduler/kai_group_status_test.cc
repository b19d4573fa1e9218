#include "hosts/scheduler/kai_group_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "hosts/watching/observe.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::scheduler {
namespace {

using document::Value;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Instant kWritten = *parse_rfc3339("2026-01-01T00:00:01Z");

watching::ObjectPtr<kube::KaiPodGroup> group(const std::string& conditions, const std::string& spec = "",
                                             const std::string& labels = "") {
  return watching::observe<kube::KaiPodGroup>(
      watching::testing::yaml(
          "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: train, namespace: "
          "default, uid: u1, resourceVersion: '7', labels: {" +
          labels + "}}, spec: {" + spec + "}, status: {resourcesStatus: {requested: {cpu: 4}}, " +
          "schedulingConditions: [" + conditions + "]}}"),
      nullptr);
}

std::string condition(const std::string& pool, const std::string& id, const std::string& message = "full") {
  return "{type: UnschedulableOnNodePool, nodePool: " + pool + ", reason: Unschedulable, message: " + message +
         ", status: 'True', transitionID: '" + id + "', lastTransitionTime: '2020-01-01T00:00:00Z'}";
}

std::vector<watching::Action> say(const watching::ObjectPtr<kube::KaiPodGroup>& group, std::optional<std::string> why) {
  return say_group_status(*group, {"u1", std::move(why)}, kWritten);
}

const document::Array& conditions_of(const watching::Action& action) {
  return document::items_at(action.document, {"status", "schedulingConditions"});
}

TEST(KaiGroupStatus, AGroupThatDoesNotStartSaysWhy) {
  const auto actions = say(group(""), "full");
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(actions[0].of.subresource, "status");
  EXPECT_EQ(document::text_at(actions[0].document, {"metadata", "resourceVersion"}), "7");
  EXPECT_EQ(document::find_at(actions[0].document, {"status", "resourcesStatus"}), nullptr) << "it stays";
  ASSERT_THAT(conditions_of(actions[0]), SizeIs(1));
  EXPECT_EQ(conditions_of(actions[0])[0],
            watching::testing::yaml(
                "{type: UnschedulableOnNodePool, nodePool: default, reason: Unschedulable, message: full, "
                "status: 'True', transitionID: '1', lastTransitionTime: '2026-01-01T00:00:01Z'}"));
}

TEST(KaiGroupStatus, SaysTheSameThingOnce) {
  EXPECT_THAT(say(group(condition("default", "3")), "full"), IsEmpty());
  const auto actions = say(group(condition("default", "3")), "still full");
  ASSERT_THAT(actions, SizeIs(1));
  ASSERT_THAT(conditions_of(actions[0]), SizeIs(1)) << "there is one of a pool";
  EXPECT_EQ(document::text_at(conditions_of(actions[0])[0], {"transitionID"}), "4");
}

TEST(KaiGroupStatus, ThatOfItsPoolBecomesTheLast) {
  const auto actions =
      say(group(condition("gpu", "1") + ", " + condition("other", "2"), "", "kai.scheduler/node-pool: gpu"), "full");
  ASSERT_THAT(actions, SizeIs(1));
  ASSERT_THAT(conditions_of(actions[0]), SizeIs(2));
  EXPECT_EQ(document::text_at(conditions_of(actions[0])[0], {"nodePool"}), "other");
  EXPECT_EQ(document::text_at(conditions_of(actions[0])[1], {"nodePool"}), "gpu");
  EXPECT_EQ(document::text_at(conditions_of(actions[0])[1], {"transitionID"}), "3");
}

TEST(KaiGroupStatus, ANumberThatIsNoneCountsAsNothing) {
  const auto actions = say(group(condition("default", "x", "before")), "full");
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(document::text_at(conditions_of(actions[0])[0], {"transitionID"}), "1");
}

TEST(KaiGroupStatus, NamesThePoolWhereOneAfterAnotherIsTried) {
  EXPECT_EQ(kai_message(group("", "schedulingBackoff: 1")->view, "full"), "Node-Pool 'default': full");
  EXPECT_EQ(kai_message(group("", "schedulingBackoff: -1")->view, "full"), "full");
}

TEST(KaiGroupStatus, OnceNoPodWaitsThereIsNoCondition) {
  EXPECT_THAT(say(group(""), std::nullopt), IsEmpty());
  const auto actions = say(group(condition("default", "1") + ", " + condition("other", "2")), std::nullopt);
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_TRUE(document::find_at(actions[0].document, {"status", "schedulingConditions"})->is_null());
  EXPECT_EQ(document::find_at(actions[0].document, {"status", "resourcesStatus"}), nullptr) << "it stays";
}

}  // namespace
}  // namespace loadline::scheduler
