#include "hosts/advice/grouping.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words
using placement::Obstacle;
using placement::ReasonKind;

Obstacle lacking(std::int64_t has, std::int64_t of) {
  Obstacle obstacle;
  obstacle.plugin = "NodeResourcesFit";
  obstacle.reason = {ReasonKind::kInsufficientResource, "nvidia.com/gpu"};
  obstacle.subject = "nvidia.com/gpu";
  obstacle.needs = 4;
  obstacle.has = has;
  obstacle.of = of;
  return obstacle;
}

Obstacle labelled(const std::string& value) {
  Obstacle obstacle;
  obstacle.plugin = "NodeAffinity";
  obstacle.code = placement::Code::kUnresolvable;
  obstacle.reason = {ReasonKind::kNodeAffinityMismatch, ""};
  obstacle.subject = "gpu-type";
  obstacle.wanted = "a100";
  obstacle.found = value;
  return obstacle;
}

class Grouping : public ::testing::Test {
 protected:
  /// In a cluster of its own: each call has nodes n0, n1, ….
  std::vector<NodeGroup> groups(const std::vector<std::vector<Obstacle>>& obstacles) {
    cluster::Cluster cluster;
    for (std::size_t i = 0; i < obstacles.size(); ++i) cluster.add_node(node("n" + std::to_string(i)));
    return group_nodes(obstacles, cluster);
  }
};

TEST_F(Grouping, NodesWithTheSameObstaclesAreOneGroupWithTheNearestNodesNumbers) {
  const std::vector<NodeGroup> found = groups({{lacking(1, 8)}, {lacking(3, 8)}, {lacking(2, 4)}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].nodes, (std::vector<std::string>{"n0", "n1", "n2"}));
  EXPECT_EQ(found[0].obstacles[0].nearest, "n1");
  EXPECT_EQ(found[0].obstacles[0].has, 3);
  EXPECT_FALSE(found[0].obstacles[0].for_good);
  EXPECT_FALSE(found[0].obstacles[0].uniform);
  EXPECT_TRUE(groups({{lacking(2, 8)}, {lacking(2, 8)}})[0].obstacles[0].uniform);
}

TEST_F(Grouping, AbsentTooSmallAndFullAreThreeReasons) {
  EXPECT_EQ(groups({{lacking(0, 0)}, {lacking(1, 2)}, {lacking(1, 8)}}).size(), 3U);
}

TEST_F(Grouping, SumsUpWhatNodesHaveInstead) {
  const std::vector<NodeGroup> found =
      groups({{labelled("v100")}, {labelled("t4")}, {labelled("v100")}, {labelled("")}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].obstacles[0].found, (std::map<std::string, std::size_t>{{"", 1}, {"t4", 1}, {"v100", 2}}));
  EXPECT_TRUE(found[0].obstacles[0].for_good);
}

TEST_F(Grouping, FewestObstaclesComeFirstThenMostNodes) {
  const std::vector<NodeGroup> found =
      groups({{labelled("t4"), lacking(1, 8)}, {lacking(1, 8)}, {labelled("t4")}, {labelled("v100")}, {}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].nodes, (std::vector<std::string>{"n2", "n3"}));
  EXPECT_EQ(found[1].nodes, (std::vector<std::string>{"n1"}));
  EXPECT_EQ(found[2].nodes, (std::vector<std::string>{"n0"}));
}

TEST_F(Grouping, OfANodeWithoutTheDeviceNothingElseIsTold) {
  const std::vector<NodeGroup> found = groups({{labelled("t4"), lacking(0, 0)}, {lacking(0, 0)}});
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].obstacles.size(), 1U);
  EXPECT_EQ(found[0].obstacles[0].subject, "nvidia.com/gpu");
}

TEST_F(Grouping, ACordonAndItsTaintAreOneThing) {
  Obstacle cordon;
  cordon.reason.kind = ReasonKind::kNodeUnschedulable;
  Obstacle taint;
  taint.reason.kind = ReasonKind::kUntoleratedTaint;
  taint.subject = "node.kubernetes.io/unschedulable:NoSchedule";
  const std::vector<NodeGroup> found = groups({{cordon, taint}, {cordon}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].obstacles.size(), 1U);
}

TEST_F(Grouping, WhatIsFullIsNearerThanWhatIsTooSmallOrLacksTheDevice) {
  const std::vector<NodeGroup> found = groups({{lacking(0, 0)}, {lacking(0, 0)}, {lacking(1, 2)}, {lacking(0, 8)}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].nodes, std::vector<std::string>{"n3"});
  EXPECT_EQ(found[1].nodes, std::vector<std::string>{"n2"});
}

}  // namespace
}  // namespace loadline::advice
