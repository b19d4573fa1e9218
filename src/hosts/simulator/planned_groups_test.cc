#include "hosts/simulator/planned_groups.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

#include "brain/cluster/testing/pod_builder.h"
#include "hosts/simulator/planning.h"

namespace loadline::simulator {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

struct PlannedGroupsTest : ::testing::Test {
  kube::Objects objects;
  int made = 0;

  void add_node(const char* name, const char* cpu) {
    objects.of<kube::Node>().push_back(node(name).allocatable("cpu", cpu));
  }
  void describe(const char* name, std::optional<std::int32_t> min_count) {
    kube::PodGroup& group = objects.of<kube::PodGroup>().emplace_back();
    group.metadata.name = name;
    group.metadata.namespace_ = "default";
    group.policy.min_count = min_count;
    group.policy.is_basic = !min_count;
  }
  kube::Pod& add(PodBuilder pod, const char* group) {
    pod.pod().metadata.name += std::to_string(made++);
    objects.of<kube::Pod>().push_back(pod.group(group));
    return objects.of<kube::Pod>().back();
  }
  std::vector<PlannedGroup> groups() {
    auto planning = Planning::make(objects, {}, {});
    EXPECT_TRUE(planning);
    return (*planning)->plan().groups;
  }
};

TEST_F(PlannedGroupsTest, TellWhatStopsThem) {
  add_node("n", "4");
  describe("train", 3);
  for (int i = 0; i < 3; ++i) add(pod("p").request("cpu", "2"), "train");
  const PlannedGroup group = groups().at(0);
  EXPECT_EQ(group.outcome, GroupOutcome::kDoesNotFit);
  EXPECT_EQ(group.min_count, 3);
  EXPECT_EQ(group.members, 3U);
  EXPECT_EQ(group.placed, 0U);
  EXPECT_EQ(group.fits, 2U);
  ASSERT_TRUE(group.stopped_by);
  EXPECT_EQ(group.stopped_by->pod, 2U);
  EXPECT_EQ(group.stopped_by->name, "p2");
  EXPECT_EQ(group.stopped_by->reasons.at(0).text, "Insufficient cpu");
}

TEST_F(PlannedGroupsTest, AStartedOneMayHavePodsThatWait) {
  add_node("n", "4");
  describe("train", 2);
  for (int i = 0; i < 3; ++i) add(pod("p").request("cpu", "2"), "train");
  const PlannedGroup group = groups().at(0);
  EXPECT_EQ(group.outcome, GroupOutcome::kStarted);
  EXPECT_EQ(group.placed, 2U);
  EXPECT_EQ(group.running, 0U);
  EXPECT_EQ(group.message, "");
  EXPECT_FALSE(group.stopped_by);
}

TEST_F(PlannedGroupsTest, ABasicOneStartsPodByPod) {
  add_node("n", "4");
  describe("sweep", std::nullopt);
  for (int i = 0; i < 3; ++i) add(pod("p").request("cpu", "2"), "sweep");
  EXPECT_EQ(groups().at(0).outcome, GroupOutcome::kStarted);
  EXPECT_FALSE(groups().at(0).min_count);
}

TEST_F(PlannedGroupsTest, HeldOnesSayWhy) {
  add_node("n", "4");
  describe("train", 3);
  describe("empty", 1);
  add(pod("p"), "train");
  add(pod("p").gated("later"), "train");
  add(pod("p"), "unknown");
  const std::vector<PlannedGroup> all = groups();
  ASSERT_EQ(all.size(), 3U);
  for (const PlannedGroup& group : all) EXPECT_EQ(group.outcome, GroupOutcome::kHeld) << group.name;
  EXPECT_EQ(all[0].members, 2U);
  EXPECT_EQ(all[0].gated, 1U);
  EXPECT_EQ(all[0].message, "waiting for minCount pods from a gang to appear in scheduling queue");
  EXPECT_EQ(all[1].members, 0U);
  EXPECT_EQ(all[2].name, "unknown");
  EXPECT_FALSE(all[2].is_described);
  EXPECT_EQ(all[2].message, "waiting for pods's pod group \"unknown\" to appear in scheduling queue");
}

TEST_F(PlannedGroupsTest, AGatedMemberKeepsTheOthersWaiting) {
  add_node("n", "4");
  describe("train", 2);
  add(pod("p"), "train");
  add(pod("p").gated("later"), "train");
  const PlannedGroup group = groups().at(0);
  EXPECT_EQ(group.outcome, GroupOutcome::kDoesNotFit);
  EXPECT_EQ(group.fits, 1U);
  EXPECT_EQ(group.gated, 1U);
  EXPECT_FALSE(group.stopped_by);
}

TEST_F(PlannedGroupsTest, MembersThatRanCountAsSuch) {
  add_node("n", "4");
  describe("train", 2);
  add(pod("p").request("cpu", "1").on_node("n"), "train");
  add(pod("p").request("cpu", "1"), "train");
  const PlannedGroup group = groups().at(0);
  EXPECT_EQ(group.outcome, GroupOutcome::kStarted);
  EXPECT_EQ(group.running, 1U);
  EXPECT_EQ(group.placed, 2U);
}

}  // namespace
}  // namespace loadline::simulator
