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
