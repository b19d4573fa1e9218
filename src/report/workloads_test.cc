#include "report/workloads.h"

#include <gtest/gtest.h>

#include "report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using simulator::Outcome;
using testing::PlanBuilder;

TEST(Workloads, CountPodsOnNodesAndWhere) {
  PlanBuilder builder;
  builder.node("a", {}).node("b", {});
  builder.pod("Deployment", "web", "web-1", Outcome::kPlaced, "a", {});
  builder.pod("Deployment", "web", "web-2", Outcome::kPlaced, "b", {});
  builder.pod("Deployment", "web", "web-3", Outcome::kRunning, "b", {});
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
  EXPECT_EQ(etl.groups[0].outcome, Outcome::kRejected);
}

TEST(Workloads, KeepDifferentReasonsApart) {
  PlanBuilder builder;
  builder.pod("Job", "train", "train-0", Outcome::kPending, "", {});
  builder.last_pod().message = "one";
  builder.pod("Job", "train", "train-1", Outcome::kPending, "", {});
  builder.last_pod().message = "two";
  EXPECT_EQ(by_workload(builder.plan())[0].groups.size(), 2U);
}

TEST(Workloads, WantAReplacedPodOnce) {
  PlanBuilder builder;
  builder.node("a", {});
  builder.pod("Deployment", "web", "web-1", Outcome::kPreempted, "a", {});
  builder.pod("Deployment", "web", "web-2", Outcome::kPlaced, "a", {});
  builder.pod("Pod", "bare", "bare", Outcome::kPreempted, "a", {});
  const std::vector<WorkloadReport> result = by_workload(builder.plan());
  EXPECT_EQ(result[0].wanted, 1U);
  EXPECT_TRUE(result[0].complete());
  EXPECT_EQ(result[1].wanted, 1U);
  EXPECT_FALSE(result[1].complete());
}

TEST(Workloads, OutsideTheScopeAreLeftOut) {
  EXPECT_TRUE(by_workload(testing::example_plan(), Scope{"elsewhere"}).empty());
}

}  // namespace
}  // namespace loadline::report
