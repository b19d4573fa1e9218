#include "hosts/simulator/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::simulator {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

class ChangeTest : public ::testing::Test {
 protected:
  kube::Objects objects;
  Change change;

  ChangeTest() {
    objects.of<kube::Node>() = {node("a"), node("b")};
    objects.of<kube::Deployment>() = {controller<kube::Deployment>("web", 2)};
    add_replica("web-1", "a");
    add_replica("web-2", "b");
  }

  template <class Kind>
  static Kind controller(const std::string& name, std::int32_t replicas) {
    Kind object;
    object.metadata.name = name;
    object.metadata.namespace_ = "default";
    object.replicas = replicas;
    const kube::Pod built = pod("").label("app", name);
    object.template_ = {built.metadata, built.spec};
    return object;
  }

  void add_replica(const std::string& name, const std::string& node) {
    objects.of<kube::Pod>().push_back(
        pod(name).label("pod-template-hash", "h").owned_by("ReplicaSet", "web-h").on_node(node).exists());
  }

  ChangedCluster changed() {
    auto result = apply(change, objects, 0, 1);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : ChangedCluster{};
  }

  std::string error() {
    const auto result = apply(change, objects, 0, 1);
    return result ? "" : result.error().message;
  }
};

std::vector<std::string> names(const std::vector<kube::Pod>& pods) {
  std::vector<std::string> result;
  for (const kube::Pod& pod : pods) result.push_back(pod.metadata.name);
  return result;
}

TEST_F(ChangeTest, OfNothingChangesNothing) {
  const ChangedCluster result = changed();
  EXPECT_EQ(names(result.objects.of<kube::Pod>()), names(objects.of<kube::Pod>()));
  EXPECT_TRUE(result.departures.empty());
  EXPECT_TRUE(result.evictions.empty());
}

TEST_F(ChangeTest, ScalingDownTakesSurplusReplicas) {
  change.scaled = {"deploy/web=1"};
  const ChangedCluster result = changed();
  EXPECT_EQ(result.objects.of<kube::Deployment>()[0].replicas, 1);
  EXPECT_EQ(names(result.objects.of<kube::Pod>()), std::vector<std::string>{"web-1"});
  ASSERT_EQ(result.departures.size(), 1U);
  EXPECT_EQ(result.departures[0].why, "Deployment default/web wants it no more");
  EXPECT_TRUE(result.departures[0].intended);
}

TEST_F(ChangeTest, ScalesWhatDefinitionsOfOperatorsSayCanBeScaled) {
  const auto scaled = [&](const char* text) {
    change.scaled = {text};
    return changed();
  };
  kube::LeaderWorkerSet groups;
  groups.metadata.name = "llm";
  groups.metadata.namespace_ = "default";
  objects.of<kube::LeaderWorkerSet>() = {groups};
  kube::PyTorchJob job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "default";
  job.spec.replicas["Worker"].template_.spec = std::make_shared<kube::PodSpec>();
  objects.of<kube::PyTorchJob>() = {job};
  EXPECT_EQ(scaled("lws/llm=3").objects.of<kube::LeaderWorkerSet>()[0].replicas, 3);
  EXPECT_EQ(scaled("pytorchjob/train=4").objects.of<kube::PyTorchJob>()[0].spec.replicas.at("Worker").replicas, 4);
  objects.of<kube::PyTorchJob>()[0].spec.replicas.clear();
  change.scaled = {"pytorchjob/train=4"};
  EXPECT_THAT(error(), ::testing::StartsWith("--scale: a PyTorchJob has no replicas; Deployments, "));
}

TEST_F(ChangeTest, SurplusThatWasThereBeforeStays) {
  objects.of<kube::Deployment>()[0].replicas = 1;  // a rollout under way
  change.added_nodes = {capacity::nodes_like("a")};
  EXPECT_EQ(changed().objects.of<kube::Pod>().size(), 2U);
}

TEST_F(ChangeTest, AnotherTemplateRollsOut) {
  kube::ReplicaSet replica_set = controller<kube::ReplicaSet>("web-h", 2);
  replica_set.metadata.owner_references = {{"apps/v1", "Deployment", "web", "", true}};
  objects.of<kube::ReplicaSet>() = {replica_set};
  kube::Deployment next = objects.of<kube::Deployment>()[0];
  const kube::Pod built = pod("").label("app", "web").image("web:2");
  next.template_ = {built.metadata, built.spec};
  change.added.of<kube::Deployment>() = {next};
  const ChangedCluster result = changed();
  EXPECT_TRUE(result.objects.of<kube::Pod>().empty());
  EXPECT_TRUE(result.objects.of<kube::ReplicaSet>().empty());
  EXPECT_EQ(result.departures.size(), 2U);
}

TEST_F(ChangeTest, TheSameTemplateOrAPausedDeploymentDoesNot) {
  change.added.of<kube::Deployment>() = {objects.of<kube::Deployment>()[0]};
  EXPECT_EQ(changed().objects.of<kube::Pod>().size(), 2U);
  change.added.of<kube::Deployment>()[0].template_.metadata.labels["version"] = "2";
  change.added.of<kube::Deployment>()[0].paused = true;
  EXPECT_EQ(changed().objects.of<kube::Pod>().size(), 2U);
}

TEST_F(ChangeTest, AJobsTemplateCannotBeChanged) {
  kube::Job job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "default";
  objects.of<kube::Job>() = {job};
  job.spec.template_.metadata.labels["version"] = "2";
  change.added.of<kube::Job>() = {job};
  const ChangedCluster result = changed();
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0].subject, "Job default/train");
}

TEST_F(ChangeTest, DeletingAWorkloadTakesWhatItControls) {
  objects.of<kube::Pod>().push_back(pod("bare").on_node("a"));
  change.deleted = {"deployments/web"};
  const ChangedCluster result = changed();
  EXPECT_TRUE(result.objects.of<kube::Deployment>().empty());
  EXPECT_EQ(names(result.objects.of<kube::Pod>()), std::vector<std::string>{"bare"});
  EXPECT_EQ(result.departures[0].why, "Deployment default/web is deleted");
  change.deleted = {"po/bare"};
  EXPECT_EQ(changed().objects.of<kube::Pod>().size(), 2U);
}

TEST_F(ChangeTest, ARemovedNodesPodsDieAndControllersReplaceTheirs) {
  objects.of<kube::Pod>().push_back(pod("bare").on_node("a").exists());
  objects.of<kube::Pod>().push_back(pod("agent-x").owned_by("DaemonSet", "agent").on_node("a").exists());
  objects.of<kube::Pod>().push_back(pod("ray-worker").owned_by("RayCluster", "ray").on_node("a").exists());
  change.removed_nodes = {"a"};
  const ChangedCluster result = changed();
  ASSERT_EQ(result.objects.of<kube::Node>().size(), 1U);
  EXPECT_EQ(result.nodes_removed, std::vector<std::string>{"a"});
  EXPECT_EQ(result.departures.size(), 4U);
  ASSERT_EQ(result.objects.of<kube::Pod>().size(), 3U);  // web-2, and the replacements of web-1 and of the worker
  EXPECT_EQ(result.objects.of<kube::Pod>()[0].metadata.name, "web-2");
  EXPECT_EQ(result.objects.of<kube::Pod>()[1].metadata.controller()->name, "web-h");
  EXPECT_EQ(result.objects.of<kube::Pod>()[2].metadata.controller()->name, "ray");
  EXPECT_TRUE(result.objects.of<kube::Pod>()[1].spec->node_name.empty());
  EXPECT_EQ(result.replacements, 3U);  // the bare pod was asked for one in vain
  for (const Departure& departure : result.departures) {
    EXPECT_EQ(departure.intended, departure.pod.name == "agent-x") << departure.pod.name;
  }
}

TEST_F(ChangeTest, ADrainCordonsAndEvictsWhatControllersBringBack) {
  objects.of<kube::Pod>().push_back(pod("bare").on_node("a").exists());
  objects.of<kube::Pod>().push_back(pod("agent-x").owned_by("DaemonSet", "agent").on_node("a").exists());
  PodBuilder mirror = pod("kube-proxy").owned_by("Node", "a").on_node("a");
  objects.of<kube::Pod>().push_back(mirror.exists());
  auto spec = std::make_shared<kube::PodSpec>(*objects.of<kube::Pod>()[0].spec);
  spec->volumes.resize(1);
  spec->volumes[0].empty_dir = true;
  objects.of<kube::Pod>()[0].spec = spec;
  change.drained = {"a"};
  const ChangedCluster result = changed();
  EXPECT_TRUE(result.objects.of<kube::Node>()[0].unschedulable);
  ASSERT_EQ(result.drains.size(), 1U);
  const DrainedNode& drained = result.drains[0];
  using Pods = std::vector<PodName>;
  EXPECT_EQ(drained.evicted, (Pods{{"default", "web-1"}}));
  EXPECT_EQ(drained.local_data, drained.evicted);
  EXPECT_EQ(drained.unmanaged, (Pods{{"default", "bare"}}));
  EXPECT_EQ(drained.daemons, 1U);
  EXPECT_EQ(result.evictions, drained.evicted);
  change.evicts_unmanaged = true;
  EXPECT_EQ(changed().evictions, (Pods{{"default", "web-1"}, {"default", "bare"}}));
}

TEST_F(ChangeTest, WhatLeavesGivesItsQuotaBack) {
  kube::ResourceQuota quota;
  quota.metadata.name = "pods";
  quota.metadata.namespace_ = "default";
  quota.metadata.uid = "u";
  quota.hard["pods"] = quantity("5");
  quota.status_used["pods"] = quantity("4");  // pods outside of the input are among them
  objects.of<kube::ResourceQuota>() = {quota};
  change.scaled = {"deploy/web=1"};
  EXPECT_EQ(changed().objects.of<kube::ResourceQuota>()[0].status_used.at("pods"), quantity("3"));
}

TEST_F(ChangeTest, SaysWhichOptionIsWrong) {
  change.drained = {"c"};
  EXPECT_EQ(error(), "--drain: there is no node \"c\"; there is \"a\" and 1 more");
  change = {};
  change.deleted = {"deployment/wep"};
  EXPECT_EQ(error(), "--without: there is no Deployment \"wep\"; did you mean \"web\"?");
  change.deleted = {"web"};
  EXPECT_EQ(error(), "--without: \"web\" names no workload; write KIND/NAME, as deployment/web");
  change.deleted = {"deploymnt/web"};
  EXPECT_EQ(error(), "--without: there is no kind of workload \"deploymnt\"; did you mean \"deployment\"?");
  change = {};
  change.scaled = {"deployment/web"};
  EXPECT_EQ(error(), "--scale: \"deployment/web\" is no scale; write KIND/NAME=REPLICAS, as deployment/web=3");
  change.scaled = {"deployment/web=-1"};
  EXPECT_NE(error(), "");
  change.scaled = {"pod/web-1=2"};
  EXPECT_NE(error().find("a Pod has no replicas"), std::string::npos) << error();
  change = {};
  change.removed_nodes = {"*"};
  EXPECT_EQ(error(), "the change leaves no nodes");
}

TEST_F(ChangeTest, AWorkloadOfSeveralNamespacesHasToBeNamedWithOne) {
  objects.of<kube::Deployment>().push_back(objects.of<kube::Deployment>()[0]);
  objects.of<kube::Deployment>()[1].metadata.namespace_ = "other";
  change.scaled = {"deploy/web=1"};
  EXPECT_EQ(error(), "--scale: Deployment \"web\" is in 2 namespaces; write deploy/web.default or deploy/web.other");
  change.scaled = {"deploy/web.other=7"};
  EXPECT_EQ(changed().objects.of<kube::Deployment>()[1].replicas, 7);
}

}  // namespace
}  // namespace loadline::simulator
