#include "app/report/summary.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;
using testing::PlanBuilder;

TEST(Summary, CountsPodsByOutcome) {
  const Counts counts = summarize(testing::example_plan()).counts;
  EXPECT_EQ(counts.placed, 3U);
  EXPECT_EQ(counts.running, 1U);
  EXPECT_EQ(counts.pending, 2U);
  EXPECT_EQ(counts.rejected, 2U);
  EXPECT_EQ(counts.preempted, 1U);
  EXPECT_EQ(counts.lost, 1U);
  EXPECT_EQ(counts.gated, 1U);
  EXPECT_EQ(counts.total(), 10U);
}

TEST(Summary, AddsUpTheClusterCpuMemoryAndGpusFirstPodsLast) {
  PlanBuilder builder;
  builder.node("a", {{"cpu", "4"}, {"ephemeral-storage", "10Gi"}, {"nvidia.com/gpu", "2"}, {"memory", "8Gi"}});
  builder.node("b", {{"cpu", "4"}, {"memory", "8Gi"}, {"example.com/dongle", "1"}});
  builder.pod("Pod", "p", "p", PodOutcome::kPlaced, "b", {{"cpu", "1"}, {"example.com/dongle", "1"}});
  const Summary summary = summarize(builder.plan());
  std::vector<std::string> names;
  for (const Utilisation& entry : summary.resources) names.push_back(entry.resource);
  EXPECT_EQ(names, (std::vector<std::string>{"cpu", "memory", "nvidia.com/gpu", "example.com/dongle", "pods"}));
  EXPECT_EQ(summary.resources[0].percent(), 12);
  EXPECT_EQ(summary.resources[4].requested.value(), 1);
  EXPECT_EQ(summary.resources[4].allocatable.value(), 220);
}

TEST(Summary, CallsAPlanCompleteUnlessAPodLacksANode) {
  struct Case {
    PodOutcome outcome;
    const char* kind;
    bool all_placed;
  };
  for (const Case& test : {Case{PodOutcome::kPlaced, "Pod", true}, Case{PodOutcome::kRunning, "Pod", true},
                           Case{PodOutcome::kGated, "Pod", true}, Case{PodOutcome::kPending, "Pod", false},
                           Case{PodOutcome::kRejected, "Pod", false}, Case{PodOutcome::kIgnored, "Pod", false},
                           Case{PodOutcome::kPreempted, "Pod", false}, Case{PodOutcome::kEvicted, "Pod", false},
                           Case{PodOutcome::kPreempted, "Deployment", true}}) {
    PlanBuilder builder;
    builder.pod(test.kind, "w", "p", test.outcome, "", {});
    EXPECT_EQ(summarize(builder.plan()).all_placed(), test.all_placed) << static_cast<int>(test.outcome) << test.kind;
  }
}

TEST(Summary, CountsRefusedObjectsOfTheScopeAgainstThePlan) {
  PlanBuilder builder;
  builder.pod("Pod", "p", "p", PodOutcome::kRunning, "", {});
  builder.plan().refused = {{{"PersistentVolumeClaim", "ml", "data"}, "too large"}};
  EXPECT_EQ(summarize(builder.plan()).refused, 1U);
  EXPECT_FALSE(summarize(builder.plan()).all_placed());
  EXPECT_TRUE(summarize(builder.plan(), Scope{"elsewhere"}).all_placed());
}

}  // namespace
}  // namespace loadline::report
