#include "hosts/controllers/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hosts/controllers/replica_set.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/pod_readiness.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kWebDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, uid: web-uid, annotations: {team: a, kubectl.kubernetes.io/last-applied-configuration: x}}
spec:
  replicas: 3
  revisionHistoryLimit: 10
  progressDeadlineSeconds: 600
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: 'nginx:1', env: [{name: A, value: '1'}]}]}
)";

class DeploymentTest : public ::testing::Test {
 protected:
  DeploymentTest() {
    cluster_.add(make_deployment_controller());
    cluster_.add(make_replica_set_controller());
  }

  const kube::Deployment& web() const { return cluster_.get<kube::Deployment>("web")->view; }
  const kube::DeploymentStatus& status() const { return web().status; }

  /// "status reason: message" of a condition.
  std::string condition(std::string_view type) const {
    const auto* found = kube::find_condition(status().conditions, type);
    return found == nullptr ? "" : found->status + ' ' + found->reason + ": " + found->message;
  }

  ObjectPtr<kube::ReplicaSet> of_image(std::string_view image) const {
    for (const auto& set : cluster_.all<kube::ReplicaSet>()) {
      if (set->view.template_.spec->containers.at(0).image == image) return set;
    }
    return nullptr;
  }

  void set_replicas(std::int64_t count) { cluster_.set<kube::Deployment>("web", {"spec", "replicas"}, Value(count)); }
  void set_image(const std::string& image) {
    cluster_.set<kube::Deployment>("web", {"spec", "template", "spec", "containers"},
                                   document::read_yaml("[{name: a, image: '" + image + "'}]", "t").documents.at(0));
  }
  /// Lets pods get ready until nothing changes any more.
  void converge() {
    for (int i = 0; i < 50; ++i) {
      cluster_.settle();
      cluster_.run_pods();
    }
    cluster_.settle();
  }

  testing::TestCluster cluster_;
};

TEST_F(DeploymentTest, CreatesAReplicaSetAndReportsItsPods) {
  cluster_.apply(kWebDeployment);
  cluster_.settle();
  ASSERT_THAT(cluster_.all<kube::ReplicaSet>(), SizeIs(1));
  const auto set = cluster_.all<kube::ReplicaSet>()[0];
  const std::string name = set->metadata().name;
  const std::string hash = name.substr(4);
  EXPECT_EQ(set->metadata().labels, (kube::StringMap{{"app", "web"}, {"pod-template-hash", hash}}));
  EXPECT_EQ(set->view.selector->match_labels, set->metadata().labels);
  EXPECT_EQ(set->view.template_.metadata.labels, set->metadata().labels);
  EXPECT_EQ(set->metadata().annotations, (kube::StringMap{{"deployment.kubernetes.io/desired-replicas", "3"},
                                                          {"deployment.kubernetes.io/max-replicas", "4"},
                                                          {"deployment.kubernetes.io/revision", "1"},
                                                          {"team", "a"}}));
  EXPECT_EQ(set->metadata().controller()->uid, "web-uid");
  EXPECT_THAT(cluster_.events, Contains("Normal ScalingReplicaSet Scaled up replica set " + name + " from 0 to 3"));
  EXPECT_EQ(web().metadata.annotations.at("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(condition("Available"), "False MinimumReplicasUnavailable: Deployment does not have minimum availability.");
  EXPECT_EQ(condition("Progressing"), "True ReplicaSetUpdated: ReplicaSet \"" + name + "\" is progressing.");
  EXPECT_EQ(status().unavailable_replicas, 3);

  cluster_.run_pods();
  cluster_.settle();
  EXPECT_EQ(condition("Available"), "True MinimumReplicasAvailable: Deployment has minimum availability.");
  EXPECT_EQ(condition("Progressing"),
            "True NewReplicaSetAvailable: ReplicaSet \"" + name + "\" has successfully progressed.");
  EXPECT_EQ(status().replicas, 3);
  EXPECT_EQ(status().updated_replicas, 3);
  EXPECT_EQ(status().ready_replicas, 3);
  EXPECT_EQ(status().available_replicas, 3);
  EXPECT_EQ(status().unavailable_replicas, 0);
  EXPECT_EQ(status().terminating_replicas, 0);
  EXPECT_EQ(status().observed_generation, 1);
}

TEST_F(DeploymentTest, SaysThatItCreatedTheReplicaSetAsSoonAsItHas) {
  cluster_.apply(kWebDeployment);
  cluster_.step();
  EXPECT_THAT(cluster_.done, ElementsAre("create replicasets " + cluster_.all<kube::ReplicaSet>()[0]->metadata().name,
                                         "update deployments/status web"));
  EXPECT_EQ(condition("Progressing"), "True NewReplicaSetCreated: Created new replica set \"" +
                                          cluster_.all<kube::ReplicaSet>()[0]->metadata().name + "\"");
}

TEST_F(DeploymentTest, RollsWithinSurgeAndUnavailability) {
  cluster_.apply(kWebDeployment);
  set_replicas(10);
  converge();
  const std::string old_name = of_image("nginx:1")->metadata().name;
  cluster_.events.clear();
  set_image("nginx:2");
  for (int i = 0; i < 200 && status().updated_replicas < 10; ++i) {
    if (!cluster_.step()) {
      // One pod at a time.
      for (const auto& pod : cluster_.all<kube::Pod>()) {
        if (pod->view.status.phase == kube::PodPhase::kRunning) continue;
        cluster_.set_ready(*pod, true);
        break;
      }
    }
    const auto pods = cluster_.all<kube::Pod>();
    EXPECT_LE(pods.size(), 13U);
    EXPECT_GE(std::count_if(pods.begin(), pods.end(), [](const auto& pod) { return is_ready(pod->view); }), 8);
  }
  converge();
  const std::string name = of_image("nginx:2")->metadata().name;
  EXPECT_EQ(of_image("nginx:2")->view.replicas, 10);
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 0);
  std::vector<std::string> scaled;
  for (const std::string& event : cluster_.events) {
    if (event.find("ScalingReplicaSet") != std::string::npos) scaled.push_back(event);
  }
  ASSERT_GE(scaled.size(), 3U);
  EXPECT_EQ(scaled[0], "Normal ScalingReplicaSet Scaled up replica set " + name + " from 0 to 3");
  EXPECT_EQ(scaled[1], "Normal ScalingReplicaSet Scaled down replica set " + old_name + " from 10 to 8");
  EXPECT_EQ(scaled[2], "Normal ScalingReplicaSet Scaled up replica set " + name + " from 3 to 5");
  EXPECT_EQ(web().metadata.annotations.at("deployment.kubernetes.io/revision"), "2");
}

TEST_F(DeploymentTest, TellsTemplatesApartByEveryField) {
  cluster_.apply(kWebDeployment);
  converge();
  cluster_.set<kube::Deployment>(
      "web", {"spec", "template", "spec", "containers"},
      document::read_yaml("[{name: a, image: 'nginx:1', env: [{name: A, value: '2'}]}]", "t").documents.at(0));
  converge();
  ASSERT_THAT(cluster_.all<kube::ReplicaSet>(), SizeIs(2));
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(3));
  EXPECT_FALSE(status().collision_count);
}

TEST_F(DeploymentTest, GoesBackToAnOlderReplicaSetUnderANewRevision) {
  cluster_.apply(kWebDeployment);
  set_image("nginx:1");
  converge();
  const auto first = of_image("nginx:1")->metadata();
  set_image("nginx:2");
  converge();
  set_image("nginx:1");
  converge();
  EXPECT_THAT(cluster_.all<kube::ReplicaSet>(), SizeIs(2));
  const auto back = of_image("nginx:1")->metadata();
  EXPECT_EQ(back.uid, first.uid);
  EXPECT_EQ(back.annotations.at("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(back.annotations.at("deployment.kubernetes.io/revision-history"), "1");
  EXPECT_EQ(web().metadata.annotations.at("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 3);
}

TEST_F(DeploymentTest, KeepsNoMoreHistoryThanItIsTold) {
  cluster_.apply(kWebDeployment);
  cluster_.set<kube::Deployment>("web", {"spec", "revisionHistoryLimit"}, Value(std::int64_t{2}));
  for (const char* image : {"nginx:1", "nginx:2", "nginx:3", "nginx:4", "nginx:5"}) {
    set_image(image);
    converge();
  }
  EXPECT_THAT(cluster_.all<kube::ReplicaSet>(), SizeIs(3));
  EXPECT_EQ(of_image("nginx:2"), nullptr);
  EXPECT_NE(of_image("nginx:3"), nullptr);
}

TEST_F(DeploymentTest, RecreatesOnlyWhenTheOldPodsAreGone) {
  cluster_.pods_end_at_once = false;
  cluster_.apply(kWebDeployment);
  cluster_.set<kube::Deployment>("web", {"spec", "strategy"},
                                 document::read_yaml("{type: Recreate}", "t").documents.at(0));
  converge();
  set_image("nginx:2");
  cluster_.settle();
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 0);
  EXPECT_EQ(of_image("nginx:2"), nullptr) << "pods of the old template are still there";
  cluster_.end_pods();
  converge();
  EXPECT_EQ(of_image("nginx:2")->view.replicas, 3);
  EXPECT_EQ(condition("Progressing").substr(0, 27), "True NewReplicaSetAvailable");
}

TEST_F(DeploymentTest, WaitsWhilePausedAndScalesNevertheless) {
  cluster_.apply(kWebDeployment);
  converge();
  cluster_.set<kube::Deployment>("web", {"spec", "paused"}, Value(true));
  set_image("nginx:2");
  set_replicas(5);
  converge();
  EXPECT_EQ(of_image("nginx:2"), nullptr);
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 5);
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentPaused: Deployment is paused");
  cluster_.set<kube::Deployment>("web", {"spec", "paused"}, Value(false));
  cluster_.step();
  EXPECT_EQ(condition("Progressing").substr(0, 25), "True NewReplicaSetCreated");
  converge();
  EXPECT_EQ(of_image("nginx:2")->view.replicas, 5);
}

TEST_F(DeploymentTest, ScalesInProportionDuringARollout) {
  cluster_.apply(kWebDeployment);
  set_replicas(10);
  converge();
  set_image("nginx:2");
  cluster_.settle();  // no pod of the new template gets ready: 5 of it, 8 of the old one
  ASSERT_EQ(of_image("nginx:2")->view.replicas, 5);
  ASSERT_EQ(of_image("nginx:1")->view.replicas, 8);
  set_replicas(20);  // 25 with the surge instead of 13
  cluster_.settle();
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 15);
  EXPECT_EQ(of_image("nginx:2")->view.replicas, 10);
  EXPECT_EQ(of_image("nginx:2")->metadata().annotations.at("deployment.kubernetes.io/max-replicas"), "25");
}

/// A user changes the strategy in the middle of a rollout, and the size.
TEST_F(DeploymentTest, UnderRecreateTwoAtOnceComeToAnEnd) {
  cluster_.apply(kWebDeployment);
  set_replicas(10);
  converge();
  set_image("nginx:2");
  cluster_.settle();
  ASSERT_EQ(of_image("nginx:1")->view.replicas, 8);
  cluster_.set<kube::Deployment>("web", {"spec", "strategy"},
                                 document::read_yaml("{type: Recreate}", "t").documents.at(0));
  set_replicas(4);
  converge();
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 0);
  EXPECT_EQ(of_image("nginx:2")->view.replicas, 4);
  EXPECT_EQ(status().available_replicas, 4);
}

TEST_F(DeploymentTest, GivesUpUnhealthyOldPodsFirst) {
  cluster_.apply(kWebDeployment);
  set_replicas(10);
  cluster_.settle();
  int ready = 0;
  cluster_.run_pods([&](const kube::Pod&) { return ++ready <= 5; });  // five crash
  cluster_.settle();
  set_image("nginx:2");
  cluster_.settle();
  // 13 pods less 8 that must be available less 3 new ones that are not: two of the five that crash.
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 8);
  converge();
  EXPECT_EQ(of_image("nginx:1")->view.replicas, 0);
  EXPECT_EQ(status().available_replicas, 10);
}

TEST_F(DeploymentTest, RunsOutOfTime) {
  cluster_.apply(kWebDeployment);
  cluster_.settle();
  const std::string name = cluster_.all<kube::ReplicaSet>()[0]->metadata().name;
  cluster_.wait(Duration::seconds(599));
  EXPECT_EQ(condition("Progressing").substr(0, 4), "True");
  cluster_.wait(Duration::seconds(3));
  EXPECT_EQ(condition("Progressing"),
            "False ProgressDeadlineExceeded: ReplicaSet \"" + name + "\" has timed out progressing.");
  cluster_.run_pods();
  cluster_.settle();
  EXPECT_EQ(condition("Progressing").substr(0, 27), "True NewReplicaSetAvailable");
}

TEST_F(DeploymentTest, PassesOnFailuresOfItsReplicaSets) {
  cluster_.refuse = [](const Action& action) -> std::optional<kube::Status> {
    if (action.of.plural != "pods") return std::nullopt;
    return kube::Status{403, "Forbidden", "exceeded quota", {}};
  };
  cluster_.apply(kWebDeployment);
  cluster_.settle();
  cluster_.settle();
  EXPECT_EQ(condition("ReplicaFailure"), "True FailedCreate: exceeded quota");
}

TEST_F(DeploymentTest, SaysWhyItCannotCreateAReplicaSet) {
  cluster_.refuse = [](const Action& action) -> std::optional<kube::Status> {
    if (action.of.plural != "replicasets") return std::nullopt;
    return kube::Status{403, "Forbidden", "no more", {}};
  };
  cluster_.apply(kWebDeployment);
  cluster_.settle();
  ASSERT_THAT(cluster_.events, SizeIs(1));
  const std::string event = cluster_.events[0];
  EXPECT_EQ(event.substr(0, 68), "Warning ReplicaSetCreateError Failed to create new replica set \"web-");
  EXPECT_EQ(event.substr(event.size() - 10), "\": no more");
  cluster_.settle();
  EXPECT_EQ(condition("Progressing"), "False ReplicaSetCreateError: " + event.substr(30));
  cluster_.refuse = [](const Action&) { return std::nullopt; };
  converge();
  EXPECT_EQ(condition("Progressing").substr(0, 27), "True NewReplicaSetAvailable");
}

std::optional<kube::Status> refuse_replica_set(const Action& action, const std::string& name) {
  if (action.verb != Action::Verb::kCreate || document::text_at(action.document, {"metadata", "name"}) != name) {
    return std::nullopt;
  }
  return kube::Status{409, "AlreadyExists", "replicasets.apps already exists", {}};
}

/// A ReplicaSet of another controller.
std::string alien(const std::string& name) {
  return "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " + name + ", namespace: default, uid: alien-" +
         name +
         "}, spec: {replicas: 0, selector: {matchLabels: {app: alien}}, "
         "template: {metadata: {labels: {app: alien}}, spec: {containers: [{name: c, image: i}]}}}}";
}

TEST_F(DeploymentTest, CountsACollisionAndTakesAnotherName) {
  cluster_.apply(kWebDeployment);
  cluster_.settle();
  const std::string name = cluster_.all<kube::ReplicaSet>()[0]->metadata().name;
  testing::TestCluster other;
  other.add(make_deployment_controller());
  std::string second;
  other.refuse = [&](const Action& action) -> std::optional<kube::Status> {
    const std::string wanted(document::text_at(action.document, {"metadata", "name"}));
    if (action.verb == Action::Verb::kCreate && second.empty()) second = wanted;
    return refuse_replica_set(action, second);
  };
  other.apply(alien(name));
  other.apply(kWebDeployment);
  other.settle();
  EXPECT_NE(second, name) << "a name that is known to be taken is not tried";
  EXPECT_FALSE(other.get<kube::Deployment>("web")->view.status.collision_count);
  other.apply(alien(second));
  other.settle();
  other.settle();
  EXPECT_EQ(other.get<kube::Deployment>("web")->view.status.collision_count, 1);
  ASSERT_THAT(other.all<kube::ReplicaSet>(), SizeIs(3));
}

/// Simulation seed 924: the answer to a creation was lost, and the watch was late.
TEST_F(DeploymentTest, WhatExistsButIsNotSeenYetIsNoCollision) {
  std::string name;
  cluster_.refuse = [&](const Action& action) -> std::optional<kube::Status> {
    if (action.verb == Action::Verb::kCreate) name = document::text_at(action.document, {"metadata", "name"});
    return refuse_replica_set(action, name);
  };
  cluster_.apply(kWebDeployment);
  for (int tries = 0; tries < 5; ++tries) cluster_.settle();
  EXPECT_FALSE(status().collision_count);
  const std::string first = name;
  cluster_.refuse = [](const Action&) { return std::nullopt; };
  converge();
  ASSERT_THAT(cluster_.all<kube::ReplicaSet>(), SizeIs(1));
  EXPECT_EQ(cluster_.all<kube::ReplicaSet>()[0]->metadata().name, first);
}

TEST_F(DeploymentTest, AdoptsAReplicaSetOfItsTemplate) {
  cluster_.apply(kWebDeployment);
  converge();
  const std::string name = cluster_.all<kube::ReplicaSet>()[0]->metadata().name;
  cluster_.set<kube::ReplicaSet>(name, {"metadata", "ownerReferences"}, Value(document::Array()));
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::ReplicaSet>(), SizeIs(1));
  EXPECT_EQ(cluster_.get<kube::ReplicaSet>(name)->metadata().controller()->uid, "web-uid");
}

TEST_F(DeploymentTest, DoesNothingWithoutASelectorThatSelects) {
  cluster_.apply(kWebDeployment);
  cluster_.set<kube::Deployment>("web", {"spec", "selector"}, Value(document::Object()));
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::ReplicaSet>(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Warning SelectingAll This deployment is selecting all pods. A non-empty "
                                        "selector is required."));
}

TEST_F(DeploymentTest, CountsWhileItIsDeletedAndCreatesNothing) {
  cluster_.apply(kWebDeployment);
  cluster_.set<kube::Deployment>("web", {"metadata", "deletionTimestamp"}, Value("2026-01-01T00:00:00Z"));
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::ReplicaSet>(), IsEmpty());
  EXPECT_EQ(status().observed_generation, 1);
}

TEST_F(DeploymentTest, ConvergesFromAnyHistoryOfChanges) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    testing::TestCluster cluster;
    cluster.add(make_deployment_controller());
    cluster.add(make_replica_set_controller());
    cluster.apply(kWebDeployment);
    std::uint32_t state = seed;
    const auto draw = [&](std::uint32_t below) { return ((state = state * 1664525U + 1013904223U) >> 16U) % below; };
    for (int i = 0; i < 60; ++i) {
      switch (draw(6)) {
        case 0:
          cluster.set<kube::Deployment>("web", {"spec", "replicas"}, Value(std::int64_t{draw(12)}));
          break;
        case 1:
          cluster.set<kube::Deployment>(
              "web", {"spec", "template", "spec", "containers"},
              document::read_yaml("[{name: a, image: 'v" + std::to_string(draw(4)) + "'}]", "t").documents.at(0));
          break;
        case 2:
          cluster.run_pods([&](const kube::Pod&) { return draw(3) != 0; });
          break;
        case 3:
          if (const auto pods = cluster.all<kube::Pod>(); !pods.empty()) {
            cluster.caches.of<kube::Pod>().erase(pods[draw(static_cast<std::uint32_t>(pods.size()))]->key());
          }
          break;
        default:
          for (std::uint32_t steps = draw(8); steps > 0; --steps) cluster.step();
      }
    }
    for (int i = 0; i < 60; ++i) {
      cluster.settle();
      for (const auto& pod : cluster.all<kube::Pod>()) {
        if (!is_ready(pod->view)) cluster.set_ready(*pod, true);
      }
    }
    cluster.settle();
    const kube::Deployment& web = cluster.get<kube::Deployment>("web")->view;
    EXPECT_EQ(cluster.all<kube::Pod>().size(), static_cast<std::size_t>(web.replicas)) << "seed " << seed;
    EXPECT_EQ(web.status.available_replicas, web.replicas) << "seed " << seed;
    EXPECT_EQ(web.status.updated_replicas, web.replicas) << "seed " << seed;
  }
}

}  // namespace
}  // namespace loadline::controllers
