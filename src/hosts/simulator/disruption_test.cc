#include "hosts/simulator/disruption.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/apps/apps.h"

namespace loadline::simulator {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

kube::IntOrString count(std::int32_t number) { return {number, ""}; }
kube::IntOrString percent(const std::string& text) { return {std::nullopt, text}; }

/// A budget over pods labelled app=web, of a Deployment of 10 unless said otherwise.
struct DisruptionTest : ::testing::Test {
  kube::Objects objects;
  cluster::Cluster cluster;
  workloads::WorkloadReference owner{"Deployment", "default", "web"};
  kube::PodDisruptionBudget budget;

  DisruptionTest() {
    cluster.add_node(node("n"));
    kube::Deployment deployment;
    deployment.metadata.name = "web";
    deployment.metadata.namespace_ = "default";
    deployment.replicas = 10;
    objects.of<kube::Deployment>().push_back(deployment);
    budget.metadata.name = "web";
    budget.metadata.namespace_ = "default";
    budget.selector = selecting("app", "web");
  }

  /// Allowed disruptions with so many pods that run and so many that wait.
  std::int32_t allowed(int running, int waiting = 0) {
    objects.of<kube::PodDisruptionBudget>() = {budget};
    DisruptionController controller(objects, cluster);
    for (int i = 0; i < running + waiting; ++i) {
      const kube::Pod web = pod("p").label("app", "web");
      const auto id = cluster.add_pod(web);
      controller.pod_created(id, web, owner);
      if (i < running) cluster.place(id, cluster::NodeId{0});
    }
    controller.update();
    return cluster.budgets().at(0).allowed;
  }
};

TEST_F(DisruptionTest, AWholeMinimumIsComparedWithTheHealthyPods) {
  budget.min_available = count(3);
  EXPECT_EQ(allowed(5), 2);
  EXPECT_EQ(allowed(3), 0);
  EXPECT_EQ(allowed(1), 0);
  EXPECT_EQ(allowed(4, 4), 1);
}

TEST_F(DisruptionTest, APercentageIsOfTheReplicasWanted) {
  budget.min_available = percent("75%");  // 7.5 of 10: 8
  EXPECT_EQ(allowed(10), 2);
  EXPECT_EQ(allowed(8, 2), 0);
  EXPECT_EQ(allowed(9), 1);
}

TEST_F(DisruptionTest, AMaximumOfUnavailablePodsCountsThoseThatAreMissingToo) {
  budget.max_unavailable = count(3);
  EXPECT_EQ(allowed(10), 3);
  EXPECT_EQ(allowed(8), 1);
  EXPECT_EQ(allowed(6), 0);
  budget.max_unavailable = percent("25%");  // 2.5 of 10: 3
  EXPECT_EQ(allowed(10), 3);
  budget.max_unavailable = percent("100%");
  EXPECT_EQ(allowed(4), 4);
}

TEST_F(DisruptionTest, WithoutPodsNothingIsAllowed) {
  budget.min_available = count(0);
  EXPECT_EQ(allowed(0), 0);
  EXPECT_EQ(allowed(2), 2);
}

TEST_F(DisruptionTest, AControllerWithoutReplicasAllowsNothingByPercentage) {
  owner = {"Job", "default", "train"};
  budget.max_unavailable = percent("50%");
  EXPECT_EQ(allowed(4), 0);
  budget.max_unavailable.reset();
  budget.min_available = count(1);
  EXPECT_EQ(allowed(4), 3);  // a whole minimum needs no controller
}

TEST_F(DisruptionTest, PodsWithoutAControllerAreNotExpected) {
  owner = {"Pod", "default", "p"};
  budget.max_unavailable = count(1);
  EXPECT_EQ(allowed(4), 0);
}

TEST_F(DisruptionTest, ABudgetThatSaysNothingAllowsNothing) { EXPECT_EQ(allowed(4), 0); }

TEST_F(DisruptionTest, OtherLabelsAndNamespacesAreNotGuarded) {
  budget.min_available = count(0);
  budget.selector = selecting("app", "db");
  EXPECT_EQ(allowed(4), 0);
  budget.selector = selecting("app", "web");
  budget.metadata.namespace_ = "other";
  EXPECT_EQ(allowed(4), 0);
}

TEST_F(DisruptionTest, WhatTheClusterSaysStays) {
  budget.min_available = count(0);
  budget.disruptions_allowed = 7;
  EXPECT_EQ(allowed(2), 7);
}

TEST_F(DisruptionTest, PodsReadAsNotReadyAreNotHealthy) {
  budget.min_available = count(1);
  objects.of<kube::PodDisruptionBudget>() = {budget};
  DisruptionController controller(objects, cluster);
  kube::Pod web = pod("p").label("app", "web");
  for (const char* status : {"True", "False"}) {
    web.status.conditions = {{"Ready", status, "", ""}};
    const auto id = cluster.add_pod(web);
    controller.pod_created(id, web, owner);
    cluster.place(id, cluster::NodeId{0});
  }
  controller.update();
  EXPECT_EQ(cluster.budgets().at(0).allowed, 0);
}

TEST_F(DisruptionTest, SaysWhatForbidsAnEviction) {
  budget.min_available = count(2);
  objects.of<kube::PodDisruptionBudget>() = {budget};
  DisruptionController controller(objects, cluster);
  std::vector<cluster::PodId> pods;
  for (int i = 0; i < 3; ++i) {
    const kube::Pod web = pod("p").label("app", "web");
    pods.push_back(cluster.add_pod(web));
    controller.pod_created(pods.back(), web, owner);
    cluster.place(pods.back(), cluster::NodeId{0});
  }
  EXPECT_EQ(controller.forbids_eviction(pods[1]), std::nullopt);
  cluster.set_terminating(pods[0], false);
  EXPECT_EQ(controller.forbids_eviction(pods[1]), "PodDisruptionBudget default/web needs 2 healthy pods and has 2");
  EXPECT_EQ(controller.forbids_eviction(cluster.add_pod(pod("other"))), std::nullopt);
}

TEST_F(DisruptionTest, APodUnderTwoBudgetsIsNeverEvicted) {
  budget.min_available = count(0);
  objects.of<kube::PodDisruptionBudget>() = {budget, budget};
  DisruptionController controller(objects, cluster);
  const kube::Pod web = pod("p").label("app", "web");
  const auto id = cluster.add_pod(web);
  controller.pod_created(id, web, owner);
  cluster.place(id, cluster::NodeId{0});
  EXPECT_NE(controller.forbids_eviction(id).value_or("").find("more than one PodDisruptionBudget"), std::string::npos);
}

/// Which pods a budget lets go.
struct EvictionTest : DisruptionTest {
  std::optional<DisruptionController> controller;

  void guard() {
    objects.of<kube::PodDisruptionBudget>() = {budget};
    controller.emplace(objects, cluster);
  }
  cluster::PodId add(const kube::Pod& pod, bool is_placed = true) {
    const cluster::PodId id = cluster.add_pod(pod);
    controller->pod_created(id, pod, owner);
    if (is_placed) cluster.place(id, cluster::NodeId{0});
    return id;
  }
  static kube::Pod web(const std::string& ready = "") {
    kube::Pod pod = cluster::testing::pod("p").label("app", "web");
    if (!ready.empty()) pod.status.conditions = {{"Ready", ready, "", ""}};
    return pod;
  }
  /// Read from a cluster, on the node, in that phase.
  static kube::Pod read_as(kube::PodPhase phase) {
    kube::Pod pod = cluster::testing::pod("p").label("app", "web").on_node("n");
    pod.metadata.uid = "u";
    pod.status.phase = phase;
    return pod;
  }
};

TEST_F(EvictionTest, PodsThatNeverRanNeedNoBudget) {
  budget.min_available = count(10);
  guard();
  const cluster::PodId waiting = add(web(), false);
  const cluster::PodId pending = add(read_as(kube::PodPhase::kPending));
  const cluster::PodId running = add(read_as(kube::PodPhase::kRunning));
  EXPECT_EQ(controller->forbids_eviction(waiting), std::nullopt);
  EXPECT_EQ(controller->forbids_eviction(pending), std::nullopt);
  EXPECT_NE(controller->forbids_eviction(running), std::nullopt);
  cluster.place(waiting, cluster::NodeId{0});  // it runs from now on
  EXPECT_NE(controller->forbids_eviction(waiting), std::nullopt);
}

TEST_F(EvictionTest, APodThatItsAuthorBoundToANodeRuns) {
  budget.min_available = count(10);
  guard();
  kube::Pod bound = read_as(kube::PodPhase::kPending);
  bound.metadata.uid.clear();
  EXPECT_NE(controller->forbids_eviction(add(bound)), std::nullopt);
}

TEST_F(EvictionTest, PodsThatNeverRanMayHaveTwoBudgets) {
  budget.min_available = count(10);
  objects.of<kube::PodDisruptionBudget>() = {budget, budget};
  controller.emplace(objects, cluster);
  EXPECT_EQ(controller->forbids_eviction(add(read_as(kube::PodPhase::kPending))), std::nullopt);
}

TEST_F(EvictionTest, UnreadyPodsMayAlwaysGoIfTheirBudgetSaysSo) {
  budget.min_available = count(10);
  budget.unhealthy_pod_eviction_policy = kube::UnhealthyPodEvictionPolicy::kAlwaysAllow;
  guard();
  EXPECT_EQ(controller->forbids_eviction(add(web("False"))), std::nullopt);
  EXPECT_EQ(controller->forbids_eviction(add(web("True"))),
            "PodDisruptionBudget default/web needs 10 healthy pods and has 1");
}

TEST_F(EvictionTest, UnreadyPodsMayGoIfTheOthersAreWell) {
  budget.min_available = count(2);
  guard();
  const cluster::PodId unready = add(web("False"));
  const cluster::PodId ready = add(web("True"));
  EXPECT_EQ(controller->forbids_eviction(unready), "PodDisruptionBudget default/web needs 2 healthy pods and has 1");
  add(web());
  EXPECT_EQ(controller->forbids_eviction(unready), std::nullopt);
  EXPECT_EQ(controller->forbids_eviction(ready), "PodDisruptionBudget default/web needs 2 healthy pods and has 2");
}

TEST_F(EvictionTest, OfPodsThatLeaveTogetherThoseCountThatDrawOnTheBudget) {
  budget.min_available = count(2);
  guard();
  const std::vector<cluster::PodId> unit{add(web()), add(web("False")), add(web())};
  EXPECT_NE(controller->forbids_evictions(unit), std::nullopt);
  add(web());
  EXPECT_EQ(controller->forbids_evictions(unit), "PodDisruptionBudget default/web allows 1 of 2 disruptions");
  add(web());
  EXPECT_EQ(controller->forbids_evictions(unit), std::nullopt);
}

TEST_F(EvictionTest, AStatusThatWasReadIsHeeded) {
  budget.min_available = count(1);
  budget.disruptions_allowed = 0;
  budget.current_healthy = budget.desired_healthy = 1;
  guard();
  EXPECT_EQ(controller->forbids_eviction(add(web("False"))), std::nullopt);
  EXPECT_EQ(controller->forbids_eviction(add(web())), "PodDisruptionBudget default/web allows no disruption");
  budget.disruptions_allowed = 1;
  budget.metadata.generation = 2;
  budget.observed_generation = 1;
  guard();
  EXPECT_EQ(controller->forbids_eviction(add(web())),
            "PodDisruptionBudget default/web has changed, and its controller has not counted it since");
}

TEST_F(DisruptionTest, PodsThatLeaveOrAreGoneAreNotHealthy) {
  budget.min_available = count(1);
  objects.of<kube::PodDisruptionBudget>() = {budget};
  DisruptionController controller(objects, cluster);
  std::vector<cluster::PodId> pods;
  for (int i = 0; i < 4; ++i) {
    pods.push_back(cluster.add_pod(pod("p").label("app", "web")));
    controller.pod_created(pods.back(), pod("p").label("app", "web"), owner);
    cluster.place(pods.back(), cluster::NodeId{0});
  }
  cluster.set_terminating(pods[0], false);
  controller.update();
  EXPECT_EQ(cluster.budgets().at(0).allowed, 2);
  cluster.remove_pod(pods[1]);
  controller.pod_deleted(pods[1]);
  controller.update();
  EXPECT_EQ(cluster.budgets().at(0).allowed, 1);
}

}  // namespace
}  // namespace loadline::simulator
