#include "app/report/diff_document.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"
#include "foundation/document/writer.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;
using testing::PlanBuilder;

simulator::Comparison drained() {
  PlanBuilder before;
  before.node("a", {{"cpu", "8"}}).node("b", {{"cpu", "8"}});
  before.pod("Deployment", "web", "web-h-x", PodOutcome::kPlaced, "a", {{"cpu", "1"}});
  before.pod("Pod", "bare", "bare", PodOutcome::kRunning, "a", {{"cpu", "1"}});
  PlanBuilder after;
  after.node("a", {{"cpu", "8"}}).node("b", {{"cpu", "8"}});
  after.plan().nodes[0].unschedulable = true;
  after.pod("Deployment", "web", "web-h-x", PodOutcome::kEvicted, "a", {});
  after.last_pod().message = "evicted by the drain of node a";
  after.pod("Pod", "bare", "bare", PodOutcome::kRunning, "a", {{"cpu", "1"}});
  after.pod("Deployment", "web", "web-h-y", PodOutcome::kPlaced, "b", {{"cpu", "1"}});
  simulator::Comparison comparison{before.plan(), {}, after.plan(), {}};
  comparison.change.drains = {{"a", {{"ml", "web-h-x"}}, {{"ml", "bare"}}, {}, 0}};
  comparison.difference = simulator::difference(comparison.before, comparison.after, comparison.change);
  return comparison;
}

TEST(DiffDocument, HoldsTheWholeStructure) {
  EXPECT_EQ(document::write_yaml(diff_document(drained())), R"(apiVersion: loadline/v1alpha1
kind: PlanDifference
summary:
  moved: 1
  becamePending: 0
  placed: 0
  appeared: 0
  gone: 0
  restated: 0
  unchanged: 1
  stillWaiting: 0
  worse: true
pods:
- namespace: ml
  name: web-h-x
  newName: web-h-y
  workload:
    kind: Deployment
    namespace: ml
    name: web
  change: Moved
  fate: Moved
  from: a
  to: b
  outcomeBefore: Placed
  outcomeAfter: Placed
  why: evicted by the drain of node a
drains:
- node: a
  evicted: 1
  daemons: 0
  unmanaged:
  - ml/bare
free:
- resource: cpu
  before:
    allocatable: "16"
    free: "14"
  after:
    allocatable: "8"
    free: "7"
notes: []
)");
}

TEST(DiffDocument, HasARowAPodForPrograms) {
  EXPECT_EQ(to_csv(diff_csv(drained())),
            "change,namespace,name,new_name,workload_kind,workload,from,to,outcome_before,outcome_after,why,message\n"
            "Moved,ml,web-h-x,web-h-y,Deployment,web,a,b,Placed,Placed,evicted by the drain of node a,\n");
}

TEST(DiffDocument, SaysFromWhichNodeAPodCameThatWouldHaveEndedThere) {
  simulator::Comparison comparison = drained();
  comparison.before.pods[0].outcome = PodOutcome::kEnded;
  EXPECT_EQ(to_csv(diff_csv(comparison)),
            "change,namespace,name,new_name,workload_kind,workload,from,to,outcome_before,outcome_after,why,message\n"
            "Moved,ml,web-h-x,web-h-y,Deployment,web,a,b,Ended,Placed,evicted by the drain of node a,\n");
}

/// A drain of `a`: web is evicted, batch is left alone until it ends, and a gang of a and b is held.
simulator::Comparison drained_by_a_deadline() {
  PlanBuilder before;
  before.node("a", {{"cpu", "8"}}).node("b", {{"cpu", "8"}});
  PlanBuilder after = before;
  const auto add = [](PlanBuilder& plan, PodOutcome web, PodOutcome batch) {
    plan.pod("Deployment", "web", "web-h-x", web, "a", {{"cpu", "1"}});
    plan.pod("Job", "batch", "batch-0", batch, "a", {{"cpu", "1"}});
    plan.pod("Job", "train", "train-0", PodOutcome::kRunning, "a", {{"cpu", "1"}});
    plan.pod("Job", "train", "train-1", PodOutcome::kRunning, "b", {{"cpu", "1"}});
  };
  add(before, PodOutcome::kRunning, PodOutcome::kEnded);
  add(after, PodOutcome::kEvicted, PodOutcome::kEnded);
  after.plan().refused_evictions = {{2, "no"}, {3, "no"}};
  simulator::Comparison comparison{before.plan(), {}, after.plan(), {}};
  comparison.change.drains = {{"a", {{"ml", "web-h-x"}, {"ml", "batch-0"}, {"ml", "train-0"}}, {}, {}, 0}};
  return comparison;
}

TEST(DiffDocument, CountsOnADrainedNodeWhatIsEvictedAndListsAllThatIsRefused) {
  const document::Value document = diff_document(drained_by_a_deadline());
  EXPECT_EQ(document::write_yaml(*document.find("drains")), R"(- node: a
  evicted: 1
  daemons: 0
  blocked:
  - pod: ml/train-0
    node: a
    message: "no"
)");
  EXPECT_EQ(document::write_yaml(*document.find("refusedEvictions")), R"(- pod: ml/train-0
  node: a
  message: "no"
- pod: ml/train-1
  node: b
  message: "no"
)");
}

TEST(DiffDocument, HasARowAPodForPeople) {
  const Table table = diff_table(drained());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"Moved", "ml", "web-h-x", "a", "b", "web-h-y",
                                                     "evicted by the drain of node a"}));
}

}  // namespace
}  // namespace loadline::report
