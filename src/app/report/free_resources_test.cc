#include "app/report/free_resources.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;
using testing::PlanBuilder;

TEST(FreeResources, CountsWhatIsFreeOnNodesThatTakePods) {
  PlanBuilder before;
  before.node("a", {{"cpu", "8"}, {"memory", "4Gi"}, {"nvidia.com/gpu", "4"}});
  before.node("b", {{"cpu", "8"}, {"memory", "4Gi"}, {"nvidia.com/gpu", "4"}});
  before.pod("Pod", "p", "p", PodOutcome::kPlaced, "a", {{"cpu", "1500m"}, {"nvidia.com/gpu", "1"}});
  PlanBuilder after;
  after.node("a", {{"cpu", "8"}, {"memory", "4Gi"}, {"nvidia.com/gpu", "4"}});
  after.node("b", {{"cpu", "8"}, {"memory", "4Gi"}, {"nvidia.com/gpu", "4"}});
  after.last_node().unschedulable = true;
  after.pod("Pod", "p", "p", PodOutcome::kPlaced, "a", {{"cpu", "10"}, {"nvidia.com/gpu", "3"}});
  const std::vector<FreeChange> changes = free_changes(before.plan(), after.plan());
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].resource, "nvidia.com/gpu");
  EXPECT_EQ(changes[0].before.free.value(), 7);
  EXPECT_EQ(changes[0].after.free.value(), 1);
  EXPECT_EQ(changes[0].after.allocatable.value(), 4);
  EXPECT_EQ(changes[1].resource, "cpu");
  EXPECT_EQ(changes[1].before.free.to_string(), "14500m");
  EXPECT_EQ(changes[1].after.free.value(), 0) << "more than fits counts as nothing";
  EXPECT_EQ(changes[2].resource, "memory");
}

TEST(FreeResources, LeavesOutWhatNoNodeHasAndWhatElseStays) {
  PlanBuilder plan;
  plan.node("a", {{"cpu", "8"}, {"memory", "4Gi"}, {"nvidia.com/gpu", "0"}, {"ephemeral-storage", "1Gi"}});
  const std::vector<FreeChange> changes = free_changes(plan.plan(), plan.plan());
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_FALSE(changes[0].differs());
}

}  // namespace
}  // namespace loadline::report
