#include "app/report/workloads.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;
using testing::PlanBuilder;

TEST(Workloads, CountPodsOnNodesAndWhere) {
  PlanBuilder builder;
  builder.node("a", {}).node("b", {});
  builder.pod("Deployment", "web", "web-1", PodOutcome::kPlaced, "a", {});
  builder.pod("Deployment", "web", "web-2", PodOutcome::kPlaced, "b", {});
  builder.pod("Deployment", "web", "web-3", PodOutcome::kRunning, "b", {});
  const std::vector<WorkloadReport> result = by_workload(builder.plan());
  ASSERT_EQ(result.size(), 1U);
  EXPECT_TRUE(result[0].complete());
  EXPECT_EQ(result[0].on_nodes, 3U);
  ASSERT_EQ(result[0].nodes.size(), 2U);
  EXPECT_EQ(result[0].nodes[0].node, "b");
  EXPECT_EQ(result[0].nodes[0].pods, 2U);
}

TEST(Workloads, CollapseMessagesThatDifferOnlyInThePodsName) {
  const std::vector<WorkloadReport> result = by_workload(testing::example_plan());
  const WorkloadReport& etl = result[4];
  ASSERT_EQ(etl.name.name, "etl");
  ASSERT_EQ(etl.groups.size(), 1U);
  EXPECT_EQ(etl.groups[0].pods.size(), 2U);
  EXPECT_EQ(etl.groups[0].outcome, PodOutcome::kRejected);
}

TEST(Workloads, KeepDifferentReasonsApart) {
  PlanBuilder builder;
  builder.pod("Job", "train", "train-0", PodOutcome::kPending, "", {});
  builder.last_pod().message = "one";
  builder.pod("Job", "train", "train-1", PodOutcome::kPending, "", {});
  builder.last_pod().message = "two";
  EXPECT_EQ(by_workload(builder.plan())[0].groups.size(), 2U);
}

TEST(Workloads, WantAReplacedPodOnce) {
  PlanBuilder builder;
  builder.node("a", {});
  builder.pod("Deployment", "web", "web-1", PodOutcome::kPreempted, "a", {});
  builder.pod("Deployment", "web", "web-2", PodOutcome::kPlaced, "a", {});
  builder.pod("Pod", "bare", "bare", PodOutcome::kPreempted, "a", {});
  const std::vector<WorkloadReport> result = by_workload(builder.plan());
  EXPECT_EQ(result[0].wanted, 1U);
  EXPECT_TRUE(result[0].complete());
  EXPECT_EQ(result[1].wanted, 1U);
  EXPECT_FALSE(result[1].complete());
}

TEST(Workloads, ThatWantNoPodsAreCompleteAndComeLast) {
  PlanBuilder builder;
  builder.pod("Pod", "p", "p", PodOutcome::kPending, "", {});
  builder.plan().idle = {{"DaemonSet", "ml", "agent"}, {"Job", "elsewhere", "paused"}};
  const std::vector<WorkloadReport> result = by_workload(builder.plan(), Scope{"ml"});
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[1].name.name, "agent");
  EXPECT_EQ(result[1].wanted, 0U);
  EXPECT_TRUE(result[1].complete());
}

TEST(Workloads, KnowTheLongestWaitOfTheirPlacedPods) {
  PlanBuilder builder;
  for (const auto& [name, outcome, seconds] :
       {std::tuple("web-1", PodOutcome::kPlaced, 30), std::tuple("web-2", PodOutcome::kPlaced, 20),
        std::tuple("web-3", PodOutcome::kPending, 300)}) {
    builder.pod("Deployment", "web", name, outcome, "a", {});
    builder.last_pod().after = Duration::seconds(seconds);
  }
  EXPECT_EQ(by_workload(builder.plan())[0].longest_wait, Duration::seconds(30));
}

TEST(Workloads, PutBarePodsOfOneNamespaceAndOutcomeTogether) {
  PlanBuilder builder;
  builder.pod("Pod", "a", "a", PodOutcome::kPlaced, "node-1", {});
  builder.pod("Deployment", "web", "web-1", PodOutcome::kPlaced, "node-1", {});
  builder.pod("Pod", "b", "b", PodOutcome::kPlaced, "node-2", {});
  builder.pod("Pod", "stuck", "stuck", PodOutcome::kPending, "", {});
  builder.pod("Pod", "c", "c", PodOutcome::kPlaced, "node-2", {});
  const std::vector<WorkloadReport> result = with_bare_pods_together(builder.plan(), by_workload(builder.plan()));
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(result[0].name, (simulator::WorkloadName{"Pod", "ml", "*"}));
  EXPECT_EQ(result[0].wanted, 3U);
  EXPECT_EQ(result[0].on_nodes, 3U);
  EXPECT_EQ(result[0].nodes[0].node, "node-2");
  EXPECT_EQ(result[0].nodes[0].pods, 2U);
  EXPECT_EQ(result[1].name.name, "web");
  EXPECT_EQ(result[2].name.name, "stuck");
}

TEST(Workloads, OutsideTheScopeAreLeftOut) {
  EXPECT_TRUE(by_workload(testing::example_plan(), Scope{"elsewhere"}).empty());
}

}  // namespace
}  // namespace loadline::report
