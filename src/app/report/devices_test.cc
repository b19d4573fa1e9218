#include "app/report/devices.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;
using testing::PlanBuilder;

TEST(Devices, GoToPodsInOrderOfPlacementLowestIndexFirst) {
  PlanBuilder builder;
  builder.node("a", {{"nvidia.com/gpu", "4"}});
  builder.pod("Pod", "late", "late", PodOutcome::kPlaced, "a", {{"nvidia.com/gpu", "1"}});
  builder.last_pod().after = Duration::seconds(9);
  builder.pod("Pod", "early", "early", PodOutcome::kPlaced, "a", {{"nvidia.com/gpu", "1"}});
  builder.last_pod().after = Duration::seconds(3);
  builder.pod("Pod", "old", "old", PodOutcome::kRunning, "a", {{"nvidia.com/gpu", "1"}});
  const std::vector<NodeDevices> result = devices(builder.plan(), builder.last_node());
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].resource, "nvidia.com/gpu");
  const std::vector<std::optional<std::size_t>> expected = {2, 1, 0, std::nullopt};
  EXPECT_EQ(result[0].slots, expected);
  EXPECT_EQ(result[0].used(), 3U);
}

TEST(Devices, OfEachResourceAreApart) {
  PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}, {"nvidia.com/mig-1g.5gb", "2"}, {"nvidia.com/gpu", "1"}, {"amd.com/gpu", "0"}});
  builder.pod("Pod", "p", "p", PodOutcome::kPlaced, "a", {{"nvidia.com/mig-1g.5gb", "1"}});
  const std::vector<NodeDevices> result = devices(builder.plan(), builder.last_node());
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].used(), 0U);
  EXPECT_EQ(result[1].resource, "nvidia.com/mig-1g.5gb");
  EXPECT_EQ(result[1].used(), 1U);
}

TEST(Devices, BeyondWhatTheNodeHasAreCounted) {
  PlanBuilder builder;
  builder.node("a", {{"nvidia.com/gpu", "2"}});
  builder.pod("Pod", "p", "p", PodOutcome::kRunning, "a", {{"nvidia.com/gpu", "5"}});
  const std::vector<NodeDevices> result = devices(builder.plan(), builder.last_node());
  EXPECT_EQ(result[0].used(), 2U);
  EXPECT_EQ(result[0].overcommitted, 3);
}

}  // namespace
}  // namespace loadline::report
