#include "brain/workloads/training_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;
using testing::names;
using ::testing::SizeIs;

/// A job "bert" of that kind and version; `spec` in YAML's flow form. "POD" stands for a pod template.
kube::Objects job(std::string_view version, std::string_view kind, std::string spec) {
  constexpr std::string_view kPod =
      "{metadata: {labels: {team: ml}}, spec: {containers: [{name: c, image: train, resources: {limits: {x.y/gpu: "
      "1}}}]}}";
  for (std::size_t at = spec.find("POD"); at != std::string::npos; at = spec.find("POD")) spec.replace(at, 3, kPod);
  const std::string text = "{apiVersion: kubeflow.org/" + std::string(version) + ", kind: " + std::string(kind) +
                           ", metadata: {name: bert, namespace: default}, spec: " + spec + "}";
  kube::Decoding decoding = kube::decode_text(text);
  for (const Diagnostic& each : decoding.diagnostics) {
    EXPECT_THAT(each.message, HasSubstr("checked by the definition of")) << each.path;
  }
  return std::move(decoding.objects);
}

kube::Objects bert(std::string rest = "") {
  return job("v1", "PyTorchJob",
             "{pytorchReplicaSpecs: {Master: {template: POD}, Worker: {replicas: 2, template: POD}}" + rest + "}");
}

TEST(TrainingJob, HasAPodForEachReplicaOfEachRole) {
  const Expansion expansion = expand(bert(), kNow, kSeed);
  EXPECT_THAT(names(expansion), ElementsAre("bert-master-0", "bert-worker-0", "bert-worker-1"));
  const kube::Pod& worker = expansion.pods.at(2).pod;
  EXPECT_EQ(worker.metadata.controller()->kind, "PyTorchJob");
  EXPECT_EQ(worker.metadata.controller()->api_version, "kubeflow.org/v1");
  const kube::StringMap labels = {{"team", "ml"},
                                  {"training.kubeflow.org/job-name", "bert"},
                                  {"training.kubeflow.org/operator-name", "pytorchjob-controller"},
                                  {"training.kubeflow.org/replica-index", "1"},
                                  {"training.kubeflow.org/replica-type", "worker"}};
  EXPECT_EQ(worker.metadata.labels, labels);
  EXPECT_EQ(expansion.pods.at(0).pod.metadata.labels.at("training.kubeflow.org/job-role"), "master");
  EXPECT_EQ(expansion.pods.at(0).workload.to_string(), "PyTorchJob default/bert");
}

TEST(TrainingJob, WorkersOfPyTorchWaitForTheMasterInAContainerThatAsksForALittle) {
  const Expansion expansion = expand(bert(), kNow, kSeed);
  EXPECT_THAT(expansion.pods.at(0).pod.spec->init_containers, IsEmpty());
  ASSERT_THAT(expansion.pods.at(1).pod.spec->init_containers, SizeIs(1));
  const kube::Container& wait = expansion.pods.at(1).pod.spec->init_containers.front();
  EXPECT_EQ(wait.name, "init-pytorch");
  EXPECT_EQ(wait.resources.requests.at("cpu").to_string(), "50m");
  EXPECT_EQ(expansion.pods.at(1).pod.spec, expansion.pods.at(2).pod.spec) << "workers share what they are made of";
  const auto alone =
      expand(job("v1", "PyTorchJob", "{pytorchReplicaSpecs: {Worker: {replicas: 2, template: POD}}}"), kNow, kSeed);
  EXPECT_THAT(alone.pods.at(0).pod.spec->init_containers, IsEmpty());
  EXPECT_EQ(alone.pods.at(0).pod.metadata.labels.count("training.kubeflow.org/job-role"), 1U);
  EXPECT_EQ(alone.pods.at(1).pod.metadata.labels.count("training.kubeflow.org/job-role"), 0U);
}

TEST(TrainingJob, OfEachFrameworkHasItsRoles) {
  const auto pods = [](std::string_view kind, std::string spec) {
    return names(expand(job("v1", kind, std::move(spec)), kNow, kSeed));
  };
  EXPECT_THAT(pods("TFJob", "{tfReplicaSpecs: {worker: {template: POD}, PS: {template: POD}, chief: {template: POD}}}"),
              ElementsAre("bert-chief-0", "bert-ps-0", "bert-worker-0"));
  EXPECT_THAT(pods("XGBoostJob", "{xgbReplicaSpecs: {Worker: {template: POD}, Master: {template: POD}}}"),
              ElementsAre("bert-master-0", "bert-worker-0"));
  EXPECT_THAT(pods("PaddleJob", "{paddleReplicaSpecs: {Worker: {replicas: 2, template: POD}}}"),
              ElementsAre("bert-worker-0", "bert-worker-1"));
  EXPECT_THAT(pods("JAXJob", "{jaxReplicaSpecs: {Worker: {replicas: 2, template: POD}}}"),
              ElementsAre("bert-worker-0", "bert-worker-1"));
  EXPECT_THAT(pods("MPIJob", "{mpiReplicaSpecs: {Launcher: {template: POD}, Worker: {replicas: 2, template: POD}}}"),
              ElementsAre("bert-launcher", "bert-worker-0", "bert-worker-1"));
}

TEST(TrainingJob, TheLauncherOfTheMpiOperatorIsAJobs) {
  const kube::Objects objects =
      job("v2beta1", "MPIJob", "{mpiReplicaSpecs: {Launcher: {template: POD}, Worker: {replicas: 2, template: POD}}}");
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_THAT(expansion.pods, SizeIs(3));
  const kube::Pod& launcher = expansion.pods.at(0).pod;
  EXPECT_THAT(launcher.metadata.name, ::testing::MatchesRegex("bert-launcher-[a-z0-9]{5}"));
  EXPECT_EQ(launcher.metadata.controller()->kind, "Job");
  EXPECT_EQ(launcher.metadata.labels.at("training.kubeflow.org/job-role"), "launcher");
  EXPECT_EQ(expansion.pods.at(0).workload.to_string(), "MPIJob default/bert");
  EXPECT_EQ(expansion.pods.at(1).pod.metadata.labels.at("training.kubeflow.org/operator-name"), "mpi-operator");
  EXPECT_EQ(role_of(expansion.pods.at(1).workload, expansion.pods.at(1).pod.metadata), "worker");
}

TEST(TrainingJob, HasNoPodsWhileItIsSuspendedOverOrAnothersBusiness) {
  const auto notes = [](const kube::Objects& objects) {
    const Expansion expansion = expand(objects, kNow, kSeed);
    EXPECT_THAT(expansion.pods, IsEmpty());
    return expansion.notes.empty() ? std::string() : expansion.notes.front().message;
  };
  EXPECT_EQ(notes(bert(", runPolicy: {suspend: true}")), "is suspended");
  EXPECT_EQ(notes(bert(", runPolicy: {managedBy: kueue.x-k8s.io/multikueue}")), "is left to kueue.x-k8s.io/multikueue");
  kube::Objects over = bert();
  over.of<kube::PyTorchJob>().front().status.conditions.push_back({"Succeeded", "True", "", "", {}, {}});
  EXPECT_EQ(notes(over), "");
}

TEST(TrainingJob, ReplicasThatAreThereAreNotMadeAgain) {
  kube::Objects objects = bert();
  objects.of<kube::Pod>().push_back(testing::owned_pod("bert-master-0", "PyTorchJob", "bert"));
  objects.of<kube::Pod>().push_back(testing::owned_pod("bert-worker-0", "PyTorchJob", "bert"));
  objects.of<kube::Pod>().back().status.phase = kube::PodPhase::kFailed;
  EXPECT_THAT(names(expand(objects, kNow, kSeed)), ElementsAre("bert-worker-0", "bert-worker-1"))
      << "what failed comes again";
  objects.of<kube::PyTorchJob>().front().spec.replicas.at("Worker").restart_policy = "Never";
  EXPECT_THAT(names(expand(objects, kNow, kSeed)), ElementsAre("bert-worker-1"));
}

TEST(TrainingJob, PodSetsAreItsRoles) {
  const kube::Objects objects = bert();
  const PodSets sets = pod_sets(objects.of<kube::PyTorchJob>().front());
  ASSERT_THAT(sets, SizeIs(2));
  EXPECT_EQ(sets[1].role, "worker");
  EXPECT_EQ(sets[1].path, "spec.pytorchReplicaSpecs[Worker].template");
  EXPECT_EQ(sets[1].count, 2);
}

}  // namespace
}  // namespace loadline::workloads
