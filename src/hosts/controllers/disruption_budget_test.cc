#include "hosts/controllers/disruption_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/policy/pod_disruption_budget.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DisruptionBudgetTest : public ::testing::Test {
 protected:
  DisruptionBudgetTest() { cluster_.add(make_disruption_budget_controller()); }

  void make_budget(const std::string& rule) {
    cluster_.apply("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: budget}, spec: {" + rule +
                   ", selector: {matchLabels: {app: web}}}}");
  }
  void make_pods(int count, const std::string& owner) {
    for (int i = 0; i < count; ++i) {
      cluster_.apply("{apiVersion: v1, kind: Pod, metadata: {name: web-" + std::to_string(i) + ", labels: {app: web}" +
                     owner + "}, spec: {}}");
    }
    cluster_.run_pods();
    cluster_.settle();
  }
  const kube::PodDisruptionBudget& budget() const { return cluster_.get<kube::PodDisruptionBudget>("budget")->view; }

  testing::TestCluster cluster_;
  const std::string of_deployment_ =
      ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: rs-uid, controller: true}]";
};

TEST_F(DisruptionBudgetTest, CountsHealthyPods) {
  make_budget("minAvailable: 2");
  make_pods(3, "");
  EXPECT_EQ(budget().expected_pods, 3);
  EXPECT_EQ(budget().current_healthy, 3);
  EXPECT_EQ(budget().desired_healthy, 2);
  EXPECT_EQ(budget().disruptions_allowed, 1);
  EXPECT_EQ(budget().observed_generation, 1);
  ASSERT_EQ(budget().conditions.size(), 1U);
  EXPECT_EQ(budget().conditions[0].status, "True");
  EXPECT_EQ(budget().conditions[0].reason, "SufficientPods");
  cluster_.set_ready(*cluster_.get<kube::Pod>("web-0"), false);
  cluster_.settle();
  EXPECT_EQ(budget().disruptions_allowed, 0);
  EXPECT_EQ(budget().conditions[0].reason, "InsufficientPods");
}

TEST_F(DisruptionBudgetTest, ReckonsWithTheReplicasOfDeployments) {
  cluster_.apply(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, uid: deployment-uid}
spec: {replicas: 10}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: rs
  uid: rs-uid
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: deployment-uid, controller: true}]
spec: {replicas: 3}
)");
  make_budget("maxUnavailable: 25%");
  make_pods(9, of_deployment_);
  EXPECT_EQ(budget().expected_pods, 10);
  EXPECT_EQ(budget().desired_healthy, 7);
  EXPECT_EQ(budget().disruptions_allowed, 2);
}

TEST_F(DisruptionBudgetTest, AllowsNothingWhereTheExpectedPodsAreUnknown) {
  make_budget("maxUnavailable: 1");
  make_pods(2, ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: job, uid: job-uid, controller: true}]");
  EXPECT_EQ(budget().disruptions_allowed, 0);
  ASSERT_EQ(budget().conditions.size(), 1U);
  EXPECT_EQ(budget().conditions[0].reason, "SyncFailed");
  EXPECT_EQ(budget().conditions[0].message, "jobs.batch does not implement the scale subresource");
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("CalculateExpectedPodCountFailed")));
}

TEST_F(DisruptionBudgetTest, WarnsOfPodsWithoutAController) {
  make_budget("maxUnavailable: 1");
  make_pods(1, "");
  EXPECT_THAT(cluster_.events,
              Contains(HasSubstr("(selector: &LabelSelector{MatchLabels:map[string]string{app: web,},"
                                 "MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged.")));
  EXPECT_EQ(budget().disruptions_allowed, 0);
}

TEST_F(DisruptionBudgetTest, SaysThatItMatchesNothing) {
  make_budget("minAvailable: 1");
  cluster_.settle();
  EXPECT_THAT(cluster_.events, Contains("Normal NoPods No matching pods found"));
  EXPECT_EQ(budget().disruptions_allowed, 0);
}

TEST_F(DisruptionBudgetTest, ExpectsEvictedPodsToGoForTwoMinutes) {
  make_budget("minAvailable: 1");
  make_pods(3, "");
  cluster_.set<kube::PodDisruptionBudget>("budget", {"status", "disruptedPods"},
                                          Value(document::Object{{"web-1", Value(format_rfc3339(cluster_.now)), {}},
                                                                 {"gone", Value(format_rfc3339(cluster_.now)), {}}}));
  cluster_.settle();
  EXPECT_EQ(budget().current_healthy, 2);
  EXPECT_EQ(budget().disrupted_pods.size(), 1U);
  cluster_.wait(Duration::seconds(121));
  EXPECT_EQ(budget().current_healthy, 3);
  EXPECT_THAT(budget().disrupted_pods, IsEmpty());
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("NotDeleted Pod was expected by PDB")));
}

TEST(StaleDisruption, IsTakenBackAfterTwoMinutes) {
  testing::TestCluster cluster;
  cluster.add(make_stale_disruption_controller());
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {}, status: {phase: Running, conditions: [
    {type: DisruptionTarget, status: "True", reason: EvictionByEvictionAPI,
     lastTransitionTime: "2026-01-01T00:00:00Z"}]}})");
  cluster.settle();
  EXPECT_THAT(cluster.done, IsEmpty());
  EXPECT_EQ(cluster.again_after, Duration::seconds(120));
  cluster.wait(Duration::seconds(120));
  EXPECT_THAT(cluster.done, ElementsAre("patch pods/status web"));
}

}  // namespace
}  // namespace loadline::controllers
