#include "hosts/simulator/plan_difference.h"

#include <gtest/gtest.h>

namespace loadline::simulator {
namespace {

PlannedPod planned_pod(const std::string& kind, const std::string& workload, const std::string& name,
                       PodOutcome outcome, const std::string& node = "") {
  PlannedPod pod;
  pod.name_space = "ml";
  pod.name = name;
  pod.workload = {kind, "ml", workload};
  pod.outcome = outcome;
  pod.node = node;
  return pod;
}

struct Sides {
  Plan before;
  Plan after;
  ChangedCluster change;

  [[nodiscard]] Difference compare(std::string_view name_space = {}) const {
    return difference(before, after, change, name_space);
  }
  [[nodiscard]] bool worse() const { return got_worse(compare(), before, after, change); }
};

PlannedPod replica(const std::string& name, const std::string& node) {
  return planned_pod("Deployment", "web", name, node.empty() ? PodOutcome::kPending : PodOutcome::kPlaced, node);
}

TEST(PlanDifference, FollowsAPodByItsName) {
  Sides sides;
  sides.before.pods = {planned_pod("Pod", "p", "p", PodOutcome::kPending), replica("web-h-a", "n1")};
  sides.after.pods = {planned_pod("Pod", "p", "p", PodOutcome::kPlaced, "n1"), replica("web-h-a", "n1")};
  const Difference result = sides.compare();
  ASSERT_EQ(result.pods.size(), 1U);
  EXPECT_EQ(result.pods[0].change, PodChange::kPlaced);
  EXPECT_EQ(result.unchanged, 1U);
  EXPECT_FALSE(sides.worse());
}

TEST(PlanDifference, AReplacementElsewhereIsAMove) {
  Sides sides;
  sides.before.pods = {replica("web-h-a", "n1"), replica("web-h-b", "n2")};
  PlannedPod evicted = planned_pod("Deployment", "web", "web-h-a", PodOutcome::kEvicted, "n1");
  evicted.message = "evicted by the drain of node n1";
  sides.after.pods = {evicted, replica("web-h-b", "n2"), replica("web-h-c", "n2")};
  const Difference result = sides.compare();
  ASSERT_EQ(result.pods.size(), 1U);
  EXPECT_EQ(result.pods[0].change, PodChange::kMoved);
  EXPECT_EQ(result.pods[0].after, 2U);
  EXPECT_EQ(result.pods[0].left, 0U);
  EXPECT_EQ(result.pods[0].why, "evicted by the drain of node n1");
  EXPECT_FALSE(sides.worse());
}

TEST(PlanDifference, ReplicasCreatedAnewOnTheirNodesAreUnchanged) {
  Sides sides;
  sides.before.pods = {replica("web-old-a", "n1"), replica("web-old-b", "n2"), replica("web-old-c", "n3")};
  sides.after.pods = {replica("web-new-x", "n3"), replica("web-new-y", "n1"), replica("web-new-z", "")};
  const Difference result = sides.compare();
  EXPECT_EQ(result.unchanged, 2U);
  ASSERT_EQ(result.pods.size(), 1U);
  EXPECT_EQ(result.pods[0].change, PodChange::kUnplaced);
  EXPECT_EQ(result.pods[0].before, 1U);
  EXPECT_TRUE(sides.worse());
}

TEST(PlanDifference, AnIndexedJobsPodsKeepTheirIndex) {
  Sides sides;
  sides.before.pods = {planned_pod("Job", "train", "train-0-aaaaa", PodOutcome::kPlaced, "n1"),
                       planned_pod("Job", "train", "train-1-bbbbb", PodOutcome::kPlaced, "n1")};
  sides.after.pods = {planned_pod("Job", "train", "train-1-ccccc", PodOutcome::kPlaced, "n2"),
                      planned_pod("Job", "train", "train-0-ddddd", PodOutcome::kPending)};
  const Difference result = sides.compare();
  ASSERT_EQ(result.pods.size(), 2U);
  EXPECT_EQ(result.pods[0].change, PodChange::kUnplaced);
  EXPECT_EQ(result.pods[0].after, 1U);
  EXPECT_EQ(result.pods[1].change, PodChange::kMoved);
}

TEST(PlanDifference, DaemonsDoNotMove) {
  Sides sides;
  sides.before.pods = {planned_pod("DaemonSet", "agent", "agent-a", PodOutcome::kPlaced, "n1")};
  sides.after.pods = {planned_pod("DaemonSet", "agent", "agent-b", PodOutcome::kPlaced, "n2")};
  sides.change.departures = {{{"ml", "agent-a"}, "node n1 is removed", true}};
  const Difference result = sides.compare();
  ASSERT_EQ(result.pods.size(), 2U);
  EXPECT_EQ(result.pods[0].change, PodChange::kGone);
  EXPECT_TRUE(result.pods[0].intended);
  EXPECT_EQ(result.pods[1].change, PodChange::kAppeared);
  EXPECT_FALSE(sides.worse());
}

TEST(PlanDifference, AStatefulSetsPodComesBackUnderItsName) {
  Sides sides;
  sides.before.pods = {planned_pod("StatefulSet", "db", "db-0", PodOutcome::kRunning, "n1")};
  sides.after.pods = {planned_pod("StatefulSet", "db", "db-0", PodOutcome::kEvicted, "n1"),
                      planned_pod("StatefulSet", "db", "db-0", PodOutcome::kPlaced, "n2")};
  const Difference result = sides.compare();
  ASSERT_EQ(result.pods.size(), 1U);
  EXPECT_EQ(result.pods[0].change, PodChange::kMoved);
  EXPECT_EQ(result.pods[0].after, 1U);
}

TEST(PlanDifference, WhatIsLostIsWorseUnlessTheChangeAskedForIt) {
  Sides sides;
  sides.before.pods = {planned_pod("Pod", "p", "p", PodOutcome::kRunning, "n1")};
  PlannedPod preempted = planned_pod("Pod", "p", "p", PodOutcome::kPreempted, "n1");
  preempted.preempted_by = "ml/q";
  sides.after.pods = {preempted};
  ASSERT_EQ(sides.compare().pods.size(), 1U);
  EXPECT_EQ(sides.compare().pods[0].change, PodChange::kGone);
  EXPECT_TRUE(sides.worse());
  sides.after.pods.clear();
  sides.change.departures = {{{"ml", "p"}, "Pod ml/p is deleted", true}};
  EXPECT_FALSE(sides.worse());
}

TEST(PlanDifference, NewPodsAreWorseIfTheyWaitAndNotIfTheyAreGated) {
  Sides sides;
  sides.after.pods = {planned_pod("Pod", "p", "p", PodOutcome::kGated)};
  EXPECT_EQ(sides.compare().pods[0].change, PodChange::kAppeared);
  EXPECT_FALSE(sides.worse());
  sides.after.pods[0].outcome = PodOutcome::kRejected;
  EXPECT_TRUE(sides.worse());
}

TEST(PlanDifference, WhatWaitsAndWaitsIsToldOnlyIfItsStateDiffers) {
  Sides sides;
  sides.before.pods = {planned_pod("Pod", "p", "p", PodOutcome::kPending)};
  sides.after.pods = {planned_pod("Pod", "p", "p", PodOutcome::kPending)};
  EXPECT_TRUE(sides.compare().pods.empty());
  EXPECT_EQ(sides.compare().waiting, 1U);
  sides.before.pods[0].outcome = PodOutcome::kRejected;
  ASSERT_EQ(sides.compare().pods.size(), 1U);
  EXPECT_EQ(sides.compare().pods[0].change, PodChange::kRestated);
  EXPECT_FALSE(sides.worse());
}

TEST(PlanDifference, AnObjectRefusedOnlyAfterwardsIsWorse) {
  Sides sides;
  const RefusedObject old{{"Job", "ml", "a"}, "no"};
  sides.before.refused = {old};
  sides.after.refused = {old};
  EXPECT_FALSE(sides.worse());
  sides.after.refused.push_back({{"Job", "ml", "b"}, "no"});
  EXPECT_EQ(sides.compare().refused, std::vector<std::size_t>{1});
  EXPECT_TRUE(sides.worse());
}

TEST(PlanDifference, TellsOfOneNamespaceOnly) {
  Sides sides;
  sides.after.pods = {planned_pod("Pod", "p", "p", PodOutcome::kPending)};
  sides.after.refused = {{{"Job", "ml", "b"}, "no"}};
  EXPECT_TRUE(sides.compare("web").pods.empty());
  EXPECT_TRUE(sides.compare("web").refused.empty());
  EXPECT_EQ(sides.compare("ml").pods.size(), 1U);
}

PlannedGroup planned_group(const std::string& name, GroupOutcome outcome) {
  PlannedGroup group;
  group.name_space = "ml";
  group.name = name;
  group.outcome = outcome;
  return group;
}

TEST(PlanDifference, NamesGroupsThatStartOnlyBeforeOrAfterAndNewOnes) {
  Sides sides;
  sides.before.groups = {planned_group("lost", GroupOutcome::kStarted), planned_group("gained", GroupOutcome::kHeld),
                         planned_group("as-before", GroupOutcome::kHeld), planned_group("gone", GroupOutcome::kHeld)};
  sides.after.groups = {planned_group("as-before", GroupOutcome::kDoesNotFit),
                        planned_group("gained", GroupOutcome::kStarted),
                        planned_group("lost", GroupOutcome::kDoesNotFit), planned_group("new", GroupOutcome::kStarted)};
  const std::vector<GroupDifference> groups = sides.compare().groups;
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].before, 1U);
  EXPECT_EQ(groups[0].after, 1U);
  EXPECT_EQ(groups[1].before, 0U);
  EXPECT_EQ(groups[1].after, 2U);
  EXPECT_FALSE(groups[2].before);
  EXPECT_EQ(groups[2].after, 3U);
  EXPECT_TRUE(sides.compare("elsewhere").groups.empty());
}

}  // namespace
}  // namespace loadline::simulator
