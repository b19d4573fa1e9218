// Workloads that are of use only as a whole, in a whole cluster: their operators run, and their pods start together.
#include <gmock/gmock.h>

#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kPods;
using testing::node;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// A template of pods that take four of the eight CPUs of a node.
constexpr const char* kHalfNodePod =
    "metadata: {annotations: {loadline.dev/run-time: forever}}, "
    "spec: {restartPolicy: Never, containers: [{name: NAME, image: train, resources: {requests: {cpu: '4'}}}]}";

std::string half_node_pod(const std::string& container) {
  std::string text = kHalfNodePod;
  return text.replace(text.find("NAME"), 4, container);
}

class GangWorkloadsTest : public testing::ClusterTest {
 protected:
  static inline const kube::ResourceReference kNodes{"", "v1", "nodes"};
  static inline const kube::ResourceReference kGroups{"scheduling.k8s.io", "v1alpha2", "podgroups", "default"};
  static inline const kube::ResourceReference kPolicies{"loadline.dev", "v1alpha1", "policies"};
  static inline const kube::ResourceReference kPyTorchJobs{"kubeflow.org", "v1", "pytorchjobs", "default"};
  static inline const kube::ResourceReference kMpiJobs{"kubeflow.org", "v1", "mpijobs", "default"};
  static inline const kube::ResourceReference kJobSets{"jobset.x-k8s.io", "v1alpha2", "jobsets", "default"};
  static inline const kube::ResourceReference kLeaderWorkerSets{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets",
                                                                "default"};
  static inline const kube::ResourceReference kRayClusters{"ray.io", "v1", "rayclusters", "default"};

  void wait() { loop_.advance(Duration::seconds(5)); }
  std::size_t on_nodes() {
    std::size_t count = 0;
    for (const Value& each : list(kPods)) count += document::text_at(each, {"spec", "nodeName"}).empty() ? 0 : 1;
    return count;
  }
  void add_node(const char* name) {
    client_->create(kNodes, node(name), [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    wait();
  }
  /// "NAME minCount".
  std::vector<std::string> groups() {
    std::vector<std::string> texts;
    for (const Value& group : list(kGroups)) {
      texts.push_back(
          fmt::format("{} {}", document::text_at(group, {"metadata", "name"}),
                      document::value_at(group, {"spec", "schedulingPolicy", "gang", "minCount"}).integer()));
    }
    return texts;
  }
  void all_start_whole(const std::string& more = "") {
    apply(kPolicies,
          "{apiVersion: loadline.dev/v1alpha1, kind: Policy, metadata: {name: default}, "
          "spec: {gangWorkloads: Whole" +
              more + "}}");
  }
  void make_pytorch_job(const std::string& name, const std::string& run_policy) {
    apply(kPyTorchJobs,
          fmt::format("{{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {{name: {}, namespace: default}}, "
                      "spec: {{runPolicy: {{{}}}, pytorchReplicaSpecs: {{Master: {{replicas: 1, template: {{{}}}}}, "
                      "Worker: {{replicas: 2, template: {{{}}}}}}}}}}}",
                      name, run_policy, half_node_pod("pytorch"), half_node_pod("pytorch")));
    wait();
  }
  void make_job_set(const std::string& name, const std::string& more = "") {
    apply(
        kJobSets,
        fmt::format("{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{name: {}, namespace: default}}, "
                    "spec: {{{} replicatedJobs: [{{name: a, replicas: 1, template: {{spec: {{parallelism: 1, "
                    "completions: 1, template: {{{}}}}}}}}}, {{name: b, replicas: 2, template: {{spec: {{parallelism: "
                    "1, completions: 1, template: {{{}}}}}}}}}]}}}}",
                    name, more, half_node_pod("main"), half_node_pod("main")));
    wait();
  }
};

TEST_F(GangWorkloadsTest, ATrainingJobThatAsksStartsWhole) {
  start({node("a")});
  make_pytorch_job("bert", "schedulingPolicy: {}");
  EXPECT_THAT(groups(), ElementsAre("pytorchjob-bert 3"));
  EXPECT_THAT(list(kPods), SizeIs(3));
  EXPECT_EQ(on_nodes(), 0U);
  add_node("b");
  EXPECT_EQ(on_nodes(), 3U);
}

/// MPIJobs of v1 are kept as v2beta1, whose defaults are not theirs.
TEST_F(GangWorkloadsTest, AJobStaysOfTheVersionThatItWasWrittenIn) {
  start({node("a"), node("b")});
  apply(kMpiJobs,
        fmt::format("{{apiVersion: kubeflow.org/v1, kind: MPIJob, metadata: {{name: bert, namespace: default}}, spec: "
                    "{{runPolicy: {{schedulingPolicy: {{}}}}, mpiReplicaSpecs: {{Launcher: {{replicas: 1, template: "
                    "{{{0}}}}}, Worker: {{replicas: 2, template: {{{0}}}}}}}}}}}",
                    half_node_pod("mpi")));
  wait();
  const std::vector<Value> jobs = list(kMpiJobs);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(document::text_at(jobs[0], {"metadata", "annotations", "loadline.dev/starts-whole"}), "true");
  EXPECT_EQ(document::find_at(jobs[0], {"spec", "sshAuthMountPath"}), nullptr);
  EXPECT_EQ(document::find_at(jobs[0], {"spec", "mpiImplementation"}), nullptr);
  EXPECT_THAT(groups(), SizeIs(1));
}

TEST_F(GangWorkloadsTest, OneThatDoesNotAskStartsPodByPod) {
  start({node("a")});
  make_pytorch_job("bert", "");
  EXPECT_THAT(groups(), IsEmpty());
  EXPECT_EQ(on_nodes(), 2U);
}

TEST_F(GangWorkloadsTest, ThePolicyCountsThatAWorkloadIsCreatedUnder) {
  start({node("a")});
  make_job_set("first");
  all_start_whole();
  make_job_set("second");
  EXPECT_THAT(groups(), ElementsAre("jobset-second 3"));
  EXPECT_EQ(on_nodes(), 2U);  // of the first
  add_node("b");
  EXPECT_EQ(on_nodes(), 3U);  // the room that is left would be for one of the second
  add_node("c");
  EXPECT_EQ(on_nodes(), 6U);
}

TEST_F(GangWorkloadsTest, JobsThatComeOneAfterTheOtherAreGroupsOfTheirOwn) {
  start({node("a")});
  all_start_whole(", laterParts: AsTheyCome");
  make_job_set("train", "startupPolicy: {startupPolicyOrder: InOrder},");
  EXPECT_THAT(groups(), UnorderedElementsAre("jobset-train-a 1", "jobset-train-b 2"));
  EXPECT_EQ(on_nodes(), 1U);
  add_node("b");
  EXPECT_EQ(on_nodes(), 3U);
}

TEST_F(GangWorkloadsTest, EachGroupOfALeaderWithWorkersIsOne) {
  start({node("a")});
  all_start_whole();
  apply(
      kLeaderWorkerSets,
      fmt::format("{{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {{name: serve, "
                  "namespace: default}}, spec: {{replicas: 2, leaderWorkerTemplate: {{size: 2, workerTemplate: "
                  "{{metadata: {{annotations: {{loadline.dev/run-time: forever}}}}, spec: {{containers: [{{name: main, "
                  "image: serve, resources: {{requests: {{cpu: '3'}}}}}}]}}}}}}}}}}"));
  wait();
  EXPECT_THAT(groups(), UnorderedElementsAre("leaderworkerset-serve-0 2", "leaderworkerset-serve-1 2"));
  EXPECT_EQ(on_nodes(), 2U);
  kube::ResourceReference set = kLeaderWorkerSets;
  set.name = "serve";
  client_->patch(set, {kube::PatchType::kMerge, testing::yaml("spec: {replicas: 1}")},
                 [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
  wait();
  EXPECT_THAT(groups(), ElementsAre("leaderworkerset-serve-0 2"));
}

TEST_F(GangWorkloadsTest, ARayClusterAsksByItsLabel) {
  start({node("a")});
  apply(kRayClusters,
        fmt::format(
            "{{apiVersion: ray.io/v1, kind: RayCluster, metadata: {{name: llm, namespace: default, labels: "
            "{{ray.io/gang-scheduling-enabled: 'true'}}}}, spec: {{headGroupSpec: {{rayStartParams: {{}}, template: "
            "{{{0}}}}}, workerGroupSpecs: [{{groupName: w, replicas: 2, minReplicas: 0, maxReplicas: 4, "
            "rayStartParams: {{}}, template: {{{0}}}}}]}}}}",
            half_node_pod("ray")));
  wait();
  EXPECT_THAT(groups(), ElementsAre("raycluster-llm 3"));
  EXPECT_EQ(on_nodes(), 0U);
  add_node("b");
  EXPECT_EQ(on_nodes(), 3U);
}

// ---- workloads that are scaled --------------------------------------------------------------------------------------

class ScaledWorkloadsTest : public GangWorkloadsTest {
 protected:
  void change(kube::ResourceReference of, const std::string& name, const std::string& changes) {
    of.name = name;
    client_->patch(of, {kube::PatchType::kMerge, testing::yaml(changes)},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    wait();
  }
  void make_ray_cluster(const std::string& more) {
    apply(kRayClusters,
          fmt::format("{{apiVersion: ray.io/v1, kind: RayCluster, metadata: {{name: llm, namespace: default, labels: "
                      "{{ray.io/gang-scheduling-enabled: 'true'}}}}, spec: {{{1}headGroupSpec: {{rayStartParams: {{}}, "
                      "template: {{{0}}}}}, workerGroupSpecs: [{{groupName: w, replicas: 3, minReplicas: 1, "
                      "maxReplicas: 4, rayStartParams: {{}}, template: {{{0}}}}}]}}}}",
                      half_node_pod("ray"), more));
    wait();
  }
  void scale_ray_workers(int replicas) {
    std::vector<Value> clusters = list(kRayClusters);
    document::Array groups = document::items_at(clusters.front(), {"spec", "workerGroupSpecs"});
    groups[0] = std::move(groups[0]).with("replicas", Value(std::int64_t{replicas}));
    kube::ResourceReference of = kRayClusters;
    of.name = "llm";
    client_->patch(of,
                   {kube::PatchType::kMerge, document::with_at(Value(document::Object{}), {"spec", "workerGroupSpecs"},
                                                               Value(std::move(groups)))},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    wait();
  }
  /// A pod that would take a whole node.
  void add_other() {
    apply(kPods,
          "{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: default}, spec: {containers: [{name: a, "
          "image: a, resources: "
          "{requests: {cpu: '8'}}}]}}");
  }
};

TEST_F(ScaledWorkloadsTest, AGroupNeedsAsManyAsItsWorkloadWantsByNow) {
  start({node("a"), node("b")});
  make_ray_cluster("");
  EXPECT_THAT(groups(), ElementsAre("raycluster-llm 4"));
  EXPECT_EQ(on_nodes(), 4U);
  add_other();
  scale_ray_workers(1);
  EXPECT_THAT(groups(), ElementsAre("raycluster-llm 2"));
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), IsEmpty());
  EXPECT_GE(on_nodes(), 2U);
  scale_ray_workers(4);
  EXPECT_THAT(groups(), ElementsAre("raycluster-llm 5"));
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), IsEmpty()) << "what runs goes on, and waits for the rest";
}

TEST_F(ScaledWorkloadsTest, WhatRaysAutoscalerMayTakeAwayNeedNotBeThere) {
  start({node("a")});
  make_ray_cluster("enableInTreeAutoscaling: true, ");
  EXPECT_THAT(groups(), ElementsAre("raycluster-llm 2"));
  EXPECT_GE(on_nodes(), 1U);
}

TEST_F(ScaledWorkloadsTest, AnElasticJobBeginsWithItsLeastWorkersAndIsScaled) {
  start({node("a")});
  apply(
      kPyTorchJobs,
      fmt::format("{{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {{name: el, namespace: default}}, "
                  "spec: {{elasticPolicy: {{rdzvBackend: c10d, minReplicas: 2, maxReplicas: 4}}, runPolicy: "
                  "{{schedulingPolicy: {{}}}}, pytorchReplicaSpecs: {{Worker: {{replicas: 4, template: {{{}}}}}}}}}}}",
                  half_node_pod("pytorch")));
  wait();
  EXPECT_THAT(groups(), ElementsAre("pytorchjob-el 2"));
  EXPECT_EQ(on_nodes(), 2U);
  change(kPyTorchJobs, "el", "spec: {pytorchReplicaSpecs: {Worker: {replicas: 1}}}");
  add_other();
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(groups(), ElementsAre("pytorchjob-el 1"));
  EXPECT_EQ(on_nodes(), 1U);
  EXPECT_THAT(events("Released"), IsEmpty());
}

TEST_F(ScaledWorkloadsTest, AJobThatIsSuspendedAndResumedStartsWholeAgain) {
  start({node("a"), node("b")});
  make_pytorch_job("bert", "schedulingPolicy: {}");
  EXPECT_EQ(on_nodes(), 3U);
  change(kPyTorchJobs, "bert", "spec: {runPolicy: {suspend: true}}");
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(on_nodes(), 0U);
  add_other();
  wait();
  change(kPyTorchJobs, "bert", "spec: {runPolicy: {suspend: false}}");
  loop_.advance(Duration::seconds(1000));
  EXPECT_EQ(on_nodes(), 1U) << "there is room for two of three";
  EXPECT_THAT(groups(), ElementsAre("pytorchjob-bert 3"));
  add_node("c");
  EXPECT_EQ(on_nodes(), 4U);
}

}  // namespace
}  // namespace loadline::embedded
