#include "brain/workloads/ray_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/testing/objects.h"
#include "brain/workloads/testing/ray.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;
using ::testing::MatchesRegex;
using testing::names;
using testing::note_of;
using testing::ray_object;
using ::testing::SizeIs;

kube::Objects cluster(std::string spec, std::string_view version = "v1") {
  return ray_object("RayCluster", "llm", std::move(spec), version);
}

/// A head and a group "gpu", of which `group` says more.
kube::Objects llm(const std::string& group = "replicas: 2", const std::string& rest = "") {
  return cluster("{headGroupSpec: {rayStartParams: {}, template: POD}, workerGroupSpecs: [{groupName: gpu, " + group +
                 ", rayStartParams: {}, template: POD}]" + rest + "}");
}

std::vector<std::string> labels(const Expansion& expansion, std::string_view name) {
  std::vector<std::string> found;
  for (const CreatedPod& each : expansion.pods) {
    const auto label = each.pod.metadata.labels.find(name);
    if (label != each.pod.metadata.labels.end()) found.push_back(label->second);
  }
  return found;
}

/// A worker of the group "gpu" that runs.
kube::Pod worker(std::string name, kube::StringMap more = {}) {
  kube::Pod pod = testing::owned_pod(std::move(name), "RayCluster", "llm");
  pod.metadata.labels = {{"ray.io/node-type", "worker"}, {"ray.io/group", "gpu"}};
  pod.metadata.labels.insert(more.begin(), more.end());
  return pod;
}

TEST(RayCluster, HasAHeadAndTheWorkersOfEachGroup) {
  const Expansion expansion = expand(llm(), kNow, kSeed);
  EXPECT_THAT(names(expansion),
              ElementsAre(MatchesRegex("llm-head-[a-z0-9]{5}"), MatchesRegex("llm-gpu-worker-[a-z0-9]{5}"),
                          MatchesRegex("llm-gpu-worker-[a-z0-9]{5}")));
  const kube::Pod& head = expansion.pods.at(0).pod;
  EXPECT_EQ(head.metadata.controller()->api_version, "ray.io/v1");
  EXPECT_EQ(head.metadata.controller()->kind, "RayCluster");
  EXPECT_EQ(expansion.pods.at(0).workload.to_string(), "RayCluster default/llm");
  const kube::StringMap head_labels = {{"app.kubernetes.io/created-by", "kuberay-operator"},
                                       {"app.kubernetes.io/name", "kuberay"},
                                       {"ray.io/cluster", "llm"},
                                       {"ray.io/group", "headgroup"},
                                       {"ray.io/identifier", "llm-head"},
                                       {"ray.io/is-ray-node", "yes"},
                                       {"ray.io/node-type", "head"},
                                       {"team", "ml"}};
  EXPECT_EQ(head.metadata.labels, head_labels);
  const kube::Pod& last = expansion.pods.at(2).pod;
  EXPECT_EQ(last.metadata.labels.at("ray.io/group"), "gpu");
  EXPECT_EQ(last.metadata.labels.at("ray.io/worker-group-replica-index"), "1");
  EXPECT_FALSE(last.metadata.labels.contains("ray.io/worker-group-replica-name"));
  EXPECT_EQ(last.spec, expansion.pods.at(1).pod.spec) << "workers share what they are made of";
  EXPECT_EQ(role_of(expansion.pods.at(0).workload, head.metadata), "head");
  EXPECT_EQ(role_of(expansion.pods.at(2).workload, last.metadata), "gpu");
}

TEST(RayCluster, WorkersWaitForTheHeadInAContainerThatAsksForALittle) {
  const Expansion expansion = expand(llm(), kNow, kSeed);
  EXPECT_THAT(expansion.pods.at(0).pod.spec->init_containers, IsEmpty());
  ASSERT_THAT(expansion.pods.at(1).pod.spec->init_containers, SizeIs(1));
  const kube::Container& wait = expansion.pods.at(1).pod.spec->init_containers.front();
  EXPECT_EQ(wait.name, "wait-gcs-ready");
  EXPECT_EQ(wait.image, "ray:2");
  EXPECT_EQ(wait.resources.requests.at("cpu").to_string(), "200m");
  EXPECT_EQ(wait.resources.requests.at("memory").to_string(), "256Mi");
}

TEST(RayCluster, AuthorsLabelsReplaceThoseOfKubeRayButNotItsSelectors) {
  const Expansion expansion = expand(
      cluster(
          "{headGroupSpec: {rayStartParams: {}, labels: {team: ops, ray.io/node-type: worker}, template: {metadata: "
          "{labels: {app.kubernetes.io/name: llm, team: ml, ray.io/group: mine}}, spec: {containers: [{name: c, "
          "image: i}]}}}}"),
      kNow, kSeed);
  const kube::StringMap& given = expansion.pods.at(0).pod.metadata.labels;
  EXPECT_EQ(given.at("app.kubernetes.io/name"), "llm");
  EXPECT_EQ(given.at("team"), "ops") << "the group's go before the template's";
  EXPECT_EQ(given.at("ray.io/node-type"), "head");
  EXPECT_EQ(given.at("ray.io/group"), "headgroup");
  EXPECT_EQ(expansion.made.of<kube::Service>().at(0).selector.at("app.kubernetes.io/name"), "llm");
}

TEST(RayCluster, AGroupHasNoFewerReplicasThanItsLeastAndNoMoreThanItsMost) {
  const auto workers = [](const std::string& group) {
    return wanted_workers(llm(group).of<kube::RayCluster>()[0].spec.worker_groups[0]);
  };
  EXPECT_EQ(workers("replicas: 3"), 3);
  EXPECT_EQ(workers("replicas: 3, maxReplicas: 2"), 2);
  EXPECT_EQ(workers("replicas: 1, minReplicas: 2"), 2);
  EXPECT_EQ(workers("minReplicas: 2"), 2);
  EXPECT_EQ(workers("replicas: 3, numOfHosts: 4"), 12);
  EXPECT_EQ(workers("replicas: 3, numOfHosts: 0"), 0);
  EXPECT_EQ(workers("replicas: 3, suspend: true"), 0);
}

TEST(RayCluster, AReplicaOfSeveralHostsIsAsManyPods) {
  const Expansion expansion = expand(llm("replicas: 2, numOfHosts: 2"), kNow, kSeed);
  EXPECT_THAT(labels(expansion, kube::kRayReplicaIndex), ElementsAre("0", "0", "1", "1"));
  EXPECT_THAT(labels(expansion, kube::kRayHostIndex), ElementsAre("0", "1", "0", "1"));
  const std::vector<std::string> replicas = labels(expansion, kube::kRayReplicaName);
  EXPECT_THAT(replicas, Each(MatchesRegex("gpu-[a-z0-9]{5}")));
  EXPECT_EQ(replicas.at(0), replicas.at(1));
  EXPECT_NE(replicas.at(1), replicas.at(2));
}

TEST(RayCluster, PodsThatAreThereAreNotMadeAgain) {
  kube::Objects objects = llm("replicas: 3");
  kube::Pod head = testing::owned_pod("llm-head-x", "RayCluster", "llm");
  head.metadata.labels = {{"ray.io/node-type", "head"}, {"ray.io/group", "headgroup"}};
  objects.of<kube::Pod>() = {head, worker("llm-gpu-worker-a", {{"ray.io/worker-group-replica-index", "1"}}),
                             worker("llm-gpu-worker-b", {{"ray.io/worker-group-replica-index", "2"}})};
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_THAT(labels(expansion, kube::kRayReplicaIndex), ElementsAre("0")) << "the lowest that is free";
  EXPECT_THAT(expansion.pods, SizeIs(1));
  objects.of<kube::Pod>()[0].status.phase = kube::PodPhase::kFailed;
  EXPECT_THAT(expand(objects, kNow, kSeed).pods, SizeIs(2)) << "what failed is followed by another";
}

TEST(RayCluster, AReplicaGetsTheHostsThatItLacks) {
  kube::Objects objects = llm("replicas: 2, numOfHosts: 2");
  objects.of<kube::Pod>() = {worker("llm-gpu-worker-a", {{"ray.io/worker-group-replica-index", "1"},
                                                         {"ray.io/worker-group-replica-name", "gpu-abcde"},
                                                         {"ray.io/replica-host-index", "1"}})};
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_THAT(labels(expansion, kube::kRayReplicaIndex), ElementsAre("1", "0", "0"));
  EXPECT_THAT(labels(expansion, kube::kRayHostIndex), ElementsAre("0", "0", "1"));
  EXPECT_EQ(labels(expansion, kube::kRayReplicaName).at(0), "gpu-abcde");
}

TEST(RayCluster, TheAutoscalerRunsBesideTheHead) {
  const auto sidecar = [](const std::string& options) {
    const Expansion expansion = expand(llm("replicas: 1", ", enableInTreeAutoscaling: true" + options), kNow, kSeed);
    EXPECT_THAT(expansion.pods.at(1).pod.spec->containers, SizeIs(1));
    return expansion.pods.at(0).pod.spec->containers.at(1);
  };
  EXPECT_EQ(sidecar("").name, "autoscaler");
  EXPECT_EQ(sidecar("").image, "ray:2");
  EXPECT_EQ(sidecar("").resources.requests.at("cpu").to_string(), "500m");
  EXPECT_EQ(sidecar("").resources.limits.at("memory").to_string(), "512Mi");
  const kube::Container own =
      sidecar(", autoscalerOptions: {version: v2, image: scaler, resources: {requests: {cpu: '2'}}}");
  EXPECT_EQ(own.image, "scaler");
  EXPECT_EQ(own.resources.requests.at("cpu").to_string(), "2");
  EXPECT_THAT(own.resources.limits, IsEmpty());
}

TEST(RayCluster, ItsServicesSelectItsPods) {
  const auto selected = [](const kube::Objects& objects) {
    std::vector<std::string> services;
    const Expansion expansion = expand(objects, kNow, kSeed);
    for (const kube::Service& service : expansion.made.of<kube::Service>()) {
      const auto count = std::ranges::count_if(expansion.pods, [&](const CreatedPod& each) {
        return kube::matches({service.selector, {}}, each.pod.metadata.labels);
      });
      services.push_back(service.metadata.name + " " + std::to_string(count));
    }
    return services;
  };
  EXPECT_THAT(selected(llm()), ElementsAre("llm-head-svc 1"));
  kube::Objects objects = llm("replicas: 2, numOfHosts: 2");
  EXPECT_THAT(selected(objects), ElementsAre("llm-head-svc 1", "llm-headless 4"));
  objects.of<kube::RayCluster>()[0].metadata.annotations = {{"ray.io/enable-serve-service", "true"}};
  EXPECT_THAT(selected(objects), ElementsAre("llm-head-svc 1", "llm-headless 4", "llm-serve-svc 5"));
  kube::Service there;
  there.metadata.name = "llm-head-svc";
  there.metadata.namespace_ = "default";
  objects.of<kube::Service>().push_back(there);
  EXPECT_THAT(selected(objects), ElementsAre("llm-headless 4", "llm-serve-svc 5"));
}

TEST(RayCluster, HasNoPodsWhileItIsSuspendedInvalidOrAnothersBusiness) {
  EXPECT_EQ(note_of(llm("replicas: 1", ", suspend: true")), "is suspended");
  EXPECT_EQ(note_of(llm("replicas: 1", ", managedBy: kueue.x-k8s.io/multikueue")),
            "is left to kueue.x-k8s.io/multikueue");
  EXPECT_EQ(note_of(llm("minReplicas: 3, maxReplicas: 2")),
            "gets no pods from KubeRay: worker group gpu has minReplicas 3 greater than maxReplicas 2");
  EXPECT_THAT(expand(llm("replicas: 1", ", managedBy: ray.io/kuberay-operator"), kNow, kSeed).pods, SizeIs(2));
}

TEST(RayCluster, OfTheFirstVersionIsReadAlike) {
  const Expansion expansion =
      expand(cluster("{headGroupSpec: {rayStartParams: {}, template: POD}, workerGroupSpecs: [{groupName: gpu, "
                     "replicas: 2, minReplicas: 0, maxReplicas: 4, rayStartParams: {}, template: POD}]}",
                     "v1alpha1"),
             kNow, kSeed);
  EXPECT_THAT(expansion.pods, SizeIs(3));
}

TEST(RayCluster, PodSetsAreItsHeadAndItsGroups) {
  const kube::Objects objects = llm("replicas: 2, numOfHosts: 2");
  const PodSets sets = pod_sets(objects.of<kube::RayCluster>().front());
  ASSERT_THAT(sets, SizeIs(2));
  EXPECT_EQ(sets[0].role, "head");
  EXPECT_EQ(sets[0].path, "spec.headGroupSpec.template");
  EXPECT_EQ(sets[0].count, 1);
  EXPECT_EQ(sets[1].role, "gpu");
  EXPECT_EQ(sets[1].path, "spec.workerGroupSpecs[0].template");
  EXPECT_EQ(sets[1].count, 4);
}

}  // namespace
}  // namespace loadline::workloads
