#include "app/report/fragmentation.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;
using testing::Amounts;
using testing::PlanBuilder;

constexpr const char* kGpu = "nvidia.com/gpu";

/// One node with 4 GPUs and 8 cores, of which a pod holds 1 GPU and `cores_used` cores.
PlanBuilder one_node(const char* cores_used) {
  PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}, {kGpu, "4"}});
  builder.pod("Pod", "old", "old", PodOutcome::kRunning, "a", {{"cpu", cores_used}, {kGpu, "1"}});
  return builder;
}

void pend(PlanBuilder& builder, Amounts requests) {
  builder.pod("Pod", "new", "new", PodOutcome::kPending, "", requests);
}

TEST(GpuFragmentation, WithNothingPendingCallsNothingUnusable) {
  PlanBuilder builder = one_node("1");
  pend(builder, {{"cpu", "100"}});
  const std::vector<GpuFragmentation> result = gpu_fragmentation(builder.plan());
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].free, 3);
  EXPECT_EQ(result[0].largest_free, 3);
  EXPECT_EQ(result[0].pending_pods, 0U);
  EXPECT_EQ(result[0].unusable, 0);
  EXPECT_TRUE(result[0].because.empty());
}

TEST(GpuFragmentation, NamesTheSmallestRequestThatIsStillTooLarge) {
  PlanBuilder builder = one_node("1");
  pend(builder, {{kGpu, "8"}});
  pend(builder, {{kGpu, "4"}});
  const GpuFragmentation result = gpu_fragmentation(builder.plan())[0];
  EXPECT_EQ(result.wanted, 12);
  EXPECT_EQ(result.unusable, 3);
  ASSERT_EQ(result.because.size(), 1U);
  EXPECT_EQ(result.because[0].why, Unusable::kTooFew);
  EXPECT_EQ(unusable_text(result.because[0]), "fewer than the smallest pending request, 4");
}

TEST(GpuFragmentation, NamesTheResourceThatIsUsedUp) {
  PlanBuilder builder = one_node("7");
  pend(builder, {{"cpu", "2"}, {kGpu, "1"}});
  const GpuFragmentation result = gpu_fragmentation(builder.plan())[0];
  EXPECT_EQ(result.because[0].why, Unusable::kOtherResource);
  EXPECT_EQ(result.because[0].detail, "cpu");
}

TEST(GpuFragmentation, NamesThePodGroupIfOnlyItsPodsHaveRoom) {
  PlanBuilder builder = one_node("1");
  simulator::PlannedGroup& group = builder.plan().groups.emplace_back();
  group.name_space = "ml";
  group.name = "train";
  pend(builder, {{kGpu, "2"}});
  builder.last_pod().pod_group = "train";
  const GpuFragmentation waiting = gpu_fragmentation(builder.plan())[0];
  EXPECT_EQ(waiting.because[0].why, Unusable::kPodGroup);
  EXPECT_EQ(unusable_text(waiting.because[0]), "room, but the pods that it would do for wait with their pod groups");

  pend(builder, {{kGpu, "3"}});
  EXPECT_EQ(gpu_fragmentation(builder.plan())[0].because[0].why, Unusable::kRules) << "a pod without a group has room";
}

TEST(GpuFragmentation, BlamesRulesOnceOnePendingPodHasRoom) {
  PlanBuilder builder = one_node("7");
  builder.last_node().taints = {"team=red:NoSchedule", "slow=:PreferNoSchedule"};
  pend(builder, {{"cpu", "2"}, {kGpu, "1"}});
  pend(builder, {{"cpu", "1"}, {kGpu, "2"}});
  const GpuFragmentation result = gpu_fragmentation(builder.plan())[0];
  EXPECT_EQ(result.because[0].why, Unusable::kRules);
  EXPECT_EQ(result.because[0].detail, "team=red:NoSchedule");
}

TEST(GpuFragmentation, SeesCordonsAndPodLimits) {
  PlanBuilder builder = one_node("1");
  pend(builder, {{kGpu, "1"}});
  builder.last_node().allowed_pods = 1;
  EXPECT_EQ(gpu_fragmentation(builder.plan())[0].because[0].why, Unusable::kPodLimit);
  builder.last_node().unschedulable = true;
  EXPECT_EQ(gpu_fragmentation(builder.plan())[0].because[0].why, Unusable::kCordoned);
}

TEST(GpuFragmentation, LeavesOutFullNodes) {
  PlanBuilder builder = one_node("1");
  builder.node("full", {{kGpu, "1"}});
  builder.pod("Pod", "x", "x", PodOutcome::kRunning, "full", {{kGpu, "1"}});
  pend(builder, {{kGpu, "8"}});
  const GpuFragmentation result = gpu_fragmentation(builder.plan())[0];
  EXPECT_EQ(result.allocatable, 5);
  EXPECT_EQ(result.requested, 2);
  EXPECT_EQ(result.because.size(), 1U);
}

}  // namespace
}  // namespace loadline::report
