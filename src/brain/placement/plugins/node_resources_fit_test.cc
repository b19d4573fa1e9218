#include "brain/placement/plugins/node_resources_fit.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

// ---- formulas -------------------------------------------------------------------------------------------------------

ScoredResource used(std::int64_t requested, std::int64_t capacity, std::int64_t weight = 1) {
  return {weight, requested, 0, capacity};
}

TEST(FitFormulaTest, LeastAllocatedIsTheMeanOfWhatStaysFree) {
  using Resources = std::vector<ScoredResource>;
  struct Case {
    Resources resources;
    std::int64_t score;
  };
  const Case cases[] = {
      {{used(1, 4), used(8, 16)}, 62},        // (75 + 50) / 2
      {{used(0, 4), used(0, 16)}, 100},       //
      {{used(4, 4), used(16, 16)}, 0},        //
      {{used(5, 4), used(8, 16)}, 25},        // more than there is counts as none free: (0 + 50) / 2
      {{used(1, 3)}, 66},                     // 2·100 / 3 truncates
      {{used(1, 4, 3), used(8, 16, 1)}, 68},  // (75·3 + 50) / 4 = 68.75
      {{used(1, 4), used(5, 0)}, 75},         // a resource without capacity is left out
      {{used(5, 0)}, 0},
      {{}, 0},
  };
  for (const Case& each : cases) EXPECT_EQ(least_allocated(each.resources), each.score);
}

TEST(FitFormulaTest, MostAllocatedIsTheMeanOfWhatIsUsed) {
  const std::vector<ScoredResource> some = {used(1, 4), used(8, 16)};
  EXPECT_EQ(most_allocated(some), 37);  // (25 + 50) / 2 = 37.5
  const std::vector<ScoredResource> over = {used(9, 4), used(8, 16)};
  EXPECT_EQ(most_allocated(over), 75);  // capped: (100 + 50) / 2
  const std::vector<ScoredResource> weighted = {used(1, 4, 1), used(8, 16, 4), used(1, 0, 9)};
  EXPECT_EQ(most_allocated(weighted), 45);  // (25 + 200) / 5
}

TEST(FitFormulaTest, RequestedToCapacityRatioFollowsItsShape) {
  struct Case {
    std::vector<kube::UtilizationShapePoint> shape;
    std::vector<ScoredResource> resources;
    std::int64_t score;
  };
  const std::vector<kube::UtilizationShapePoint> pack = {{0, 0}, {100, 10}};
  const std::vector<kube::UtilizationShapePoint> spread = {{0, 10}, {100, 0}};
  const std::vector<kube::UtilizationShapePoint> hill = {{20, 2}, {50, 10}, {80, 4}};
  const Case cases[] = {
      {pack, {used(1, 4), used(8, 16)}, 38},  // (25 + 50) / 2 = 37.5, rounded
      {pack, {used(0, 4), used(8, 16)}, 50},  // a score of 0 does not weigh in
      {pack, {used(5, 4)}, 100},              //
      {pack, {used(0, 4)}, 0},
      {spread, {used(1, 4)}, 75},
      {spread, {used(5, 4)}, 0},
      {hill, {used(10, 100)}, 20},  // flat before the first point
      {hill, {used(20, 100)}, 20},
      {hill, {used(35, 100)}, 60},  // half way up: 20 + 80·15/30
      {hill, {used(36, 100)}, 62},  // 20 + 80·16/30 = 62.67, truncated
      {hill, {used(50, 100)}, 100},
      {hill, {used(65, 100)}, 70},                  // half way down
      {hill, {used(99, 100)}, 40},                  // flat after the last point
      {pack, {used(1, 4, 3), used(8, 16, 1)}, 31},  // (75 + 50) / 4 = 31.25
  };
  int number = 0;
  for (const Case& each : cases) {
    SCOPED_TRACE(number++);
    EXPECT_EQ(requested_to_capacity_ratio(each.resources, each.shape), each.score);
  }
}

// ---- the filter -----------------------------------------------------------------------------------------------------

struct NodeResourcesFitTest : testing::PlacementFixture {
  NodeResourcesFit plugin{{}};
};

TEST_F(NodeResourcesFitTest, NamesEverythingThatFallsShort) {
  const auto id = add(node("n").allocatable("cpu", "4").allocatable("memory", "8Gi").allocatable("pods", "2"));
  add(pod("there").request("cpu", "3").request("memory", "1Gi"), id);
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "1").request("memory", "7Gi"), id), "passes");
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "1001m"), id), "Insufficient cpu");
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "2").request("memory", "8Gi"), id),
            "Insufficient cpu, Insufficient memory");
  EXPECT_EQ(judge(plugin, pod("p").request("ephemeral-storage", "1"), id),
            "Insufficient ephemeral-storage (unresolvable)");
  EXPECT_EQ(judge(plugin, pod("p").request("nvidia.com/gpu", "1"), id), "Insufficient nvidia.com/gpu (unresolvable)");
  EXPECT_EQ(judge(plugin, pod("p").request("nvidia.com/gpu", "0"), id), "passes");
  add(pod("another"), id);
  EXPECT_EQ(judge(plugin, pod("p"), id), "Too many pods");
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "2"), id), "Too many pods, Insufficient cpu");
}

TEST_F(NodeResourcesFitTest, KeepsAnyNumberOfRequestsApart) {
  constexpr int kMany = 100;
  auto offering = node("n");
  auto wanting = pod("p");
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "example.com/device-" + std::to_string(i);
    wanting.request(name, "1");
    if (i != kMany - 1) offering.allocatable(name, "1");
  }
  EXPECT_EQ(judge(plugin, wanting, add(offering)), "Insufficient example.com/device-99 (unresolvable)");
}

TEST_F(NodeResourcesFitTest, WhatNoEvictionCouldFreeIsUnresolvable) {
  const auto id = add(node("n").allocatable("cpu", "4"));
  add(pod("there").request("cpu", "3"), id);
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "4"), id), "Insufficient cpu");
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "4001m"), id), "Insufficient cpu (unresolvable)");
  EXPECT_EQ(judge(plugin, pod("p").request("cpu", "2").request("memory", "1Ti"), id),
            "Insufficient cpu, Insufficient memory (unresolvable)");
}

TEST_F(NodeResourcesFitTest, ARequestOfNothingFitsAnOvercommittedNode) {
  const auto id = add(node("n").allocatable("cpu", "4"));
  add(pod("there").request("cpu", "5"), id);
  EXPECT_EQ(judge(plugin, pod("p"), id), "passes");
  EXPECT_EQ(judge(plugin, pod("p").request("memory", "1Gi"), id), "passes");
}

TEST_F(NodeResourcesFitTest, ConfigurationMayIgnoreExtendedResourcesOnly) {
  const auto id = add(node("n"));
  kube::NodeResourcesFitArgs args;
  args.ignored_resources = {"example.com/device", "cpu"};
  args.ignored_resource_groups = {"nvidia.com"};
  const NodeResourcesFit lenient(args);
  EXPECT_EQ(judge(lenient, pod("p").request("example.com/device", "1").request("nvidia.com/gpu", "1"), id), "passes");
  EXPECT_EQ(judge(lenient, pod("p").request("example.com/other", "1"), id),
            "Insufficient example.com/other (unresolvable)");
  EXPECT_EQ(judge(lenient, pod("p").request("cpu", "5"), id), "Insufficient cpu (unresolvable)");
}

// ---- the score ------------------------------------------------------------------------------------------------------

TEST_F(NodeResourcesFitTest, ScoresCountAFloorForPodsThatRequestNothing) {
  add(node("empty").allocatable("cpu", "1").allocatable("memory", "2000Mi"));
  const auto busy = add(node("busy").allocatable("cpu", "1").allocatable("memory", "2000Mi"));
  add(pod("there"), busy);  // 100m and 200Mi
  EXPECT_EQ(scores(plugin, pod("p")), (Scores{90, 80}));
  EXPECT_EQ(scores(plugin, pod("p").request("cpu", "500m").request("memory", "1000Mi")), (Scores{50, 40}));
}

TEST_F(NodeResourcesFitTest, AScalarCountsOnlyForPodsThatAskForIt) {
  add(node("plain"));
  add(node("gpus").allocatable("nvidia.com/gpu", "4"));
  kube::NodeResourcesFitArgs args;
  args.strategy = kube::ScoringStrategyType::kMostAllocated;
  args.resources = {{"nvidia.com/gpu", 1}};
  const NodeResourcesFit packing(args);
  EXPECT_EQ(scores(packing, pod("p")), (Scores{0, 0}));
  EXPECT_EQ(scores(packing, pod("p").request("nvidia.com/gpu", "3")), (Scores{0, 75}));
}

}  // namespace
}  // namespace loadline::placement
