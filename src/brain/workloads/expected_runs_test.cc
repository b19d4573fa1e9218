#include "brain/workloads/expected_runs.h"

#include <gmock/gmock.h>

#include <string>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

kube::Objects objects_of(const std::string& text) {
  std::vector<kube::SourceDocument> documents;
  for (document::Value& value : document::read_yaml(text, "f").documents) {
    documents.push_back({std::move(value), "f"});
  }
  kube::Decoding decoding = kube::decode(documents);
  for (const Diagnostic& problem : decoding.diagnostics) EXPECT_FALSE(true) << problem.to_string();
  return std::move(decoding.objects);
}

constexpr const char* kPodTemplate = "{spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}";

std::string job(const std::string& metadata, const std::string& spec) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: default, " + metadata + "}\nspec: {" + spec +
         "template: " + kPodTemplate + "}\n---\n";
}

kube::ObjectMeta pod_of(const std::string& api_version, const std::string& kind, const std::string& name) {
  kube::ObjectMeta metadata;
  metadata.namespace_ = "default";
  metadata.owner_references = {{.api_version = api_version, .kind = kind, .name = name, .uid = "1"}};
  metadata.owner_references.front().controller = true;
  return metadata;
}

std::optional<Duration> seconds(std::int64_t count) { return Duration::seconds(count); }

TEST(ExpectedRuns, AreWhatTheJobSaysByAnnotationDeadlineOrLabel) {
  const ExpectedRuns runs(objects_of(
      job("name: a, annotations: {loadline.dev/expected-duration: 1h}", "activeDeadlineSeconds: 7200, ") +
      job("name: b, annotations: {kueue.x-k8s.io/estimated-duration: 30m}", "activeDeadlineSeconds: 7200, ") +
      job("name: c, labels: {kueue.x-k8s.io/max-exec-time-seconds: \"60\"}", "activeDeadlineSeconds: 7200, ") +
      job("name: d, labels: {kueue.x-k8s.io/max-exec-time-seconds: \"60\"}", "") + job("name: e", "")));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "a")), seconds(3600));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "b")), seconds(1800));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "c")), seconds(7200));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "d")), seconds(60));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "e")), std::nullopt);
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "absent")), std::nullopt);
  EXPECT_EQ(runs.of(pod_of("apps/v1", "ReplicaSet", "a")), std::nullopt);
  EXPECT_EQ(runs.of(kube::ObjectMeta{}), std::nullopt);
}

kube::KueueWorkload kueue_workload(const std::string& owner, std::int32_t seconds) {
  kube::KueueWorkload workload;
  workload.metadata.namespace_ = "default";
  workload.metadata.owner_references = {{.api_version = "batch/v1", .kind = owner, .name = "a", .uid = "1"}};
  workload.maximum_execution_time_seconds = seconds;
  return workload;
}

TEST(ExpectedRuns, AreWhatKueueBoundsThemBy) {
  ExpectedRuns runs(objects_of(job("name: a", "") + job("name: b", "activeDeadlineSeconds: 60, ") + R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: job-a, namespace: default, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a, uid: u, controller: true}]}
spec: {maximumExecutionTimeSeconds: 600, podSets: [{name: main, count: 1, template: {spec: {containers: [{name: main, image: x}]}}}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: job-b, namespace: default, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: b, uid: u, controller: true}]}
spec: {maximumExecutionTimeSeconds: 600, podSets: [{name: main, count: 1, template: {spec: {containers: [{name: main, image: x}]}}}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  name: group
  namespace: default
  ownerReferences: [{apiVersion: v1, kind: Pod, name: pod-0, uid: u}, {apiVersion: v1, kind: Pod, name: pod-1, uid: u}]
spec: {maximumExecutionTimeSeconds: 300, podSets: [{name: main, count: 1, template: {spec: {containers: [{name: main, image: x}]}}}]}
)"));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "a")), seconds(600));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "b")), seconds(60)) << "the Job's own bound comes first";
  kube::ObjectMeta pod;
  pod.namespace_ = "default";
  pod.name = "pod-1";
  EXPECT_EQ(runs.of(pod), seconds(300));

  const kube::KueueWorkload before = kueue_workload("Job", 600);
  const kube::KueueWorkload after = kueue_workload("Job", 60);
  EXPECT_THAT(runs.renew_bound(&before, &before), IsEmpty()) << "Kueue writes statuses often";
  EXPECT_THAT(runs.renew_bound(&before, &after), ElementsAre(WorkloadReference{"Job", "default", "a"}));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "a")), seconds(60));
  EXPECT_THAT(runs.renew_bound(&after, nullptr), ElementsAre(WorkloadReference{"Job", "default", "a"}));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "a")), std::nullopt);
}

TEST(ExpectedRuns, AreWhatTheOperatorsJobsSay) {
  const ExpectedRuns runs(objects_of(std::string(R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {namespace: default, name: torch}
spec:
  runPolicy: {activeDeadlineSeconds: 600}
  pytorchReplicaSpecs:
    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: x}]}}}
---
apiVersion: ray.io/v1
kind: RayJob
metadata: {namespace: default, name: ray}
spec:
  activeDeadlineSeconds: 900
  entrypoint: python main.py
  rayClusterSpec:
    headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: head, image: x}]}}}
---
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  namespace: default
  name: ray-abcde
  ownerReferences: [{apiVersion: ray.io/v1, kind: RayJob, name: ray, uid: "2", controller: true}]
spec:
  headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: head, image: x}]}}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {namespace: default, name: volcano}
spec:
  runningEstimate: 20m
  tasks: [{name: main, replicas: 1, template: {spec: {containers: [{name: main, image: x}]}}}]
)")));
  EXPECT_EQ(runs.of(pod_of("kubeflow.org/v1", "PyTorchJob", "torch")), seconds(600));
  EXPECT_EQ(runs.of(pod_of("ray.io/v1", "RayCluster", "ray-abcde")), seconds(900));
  EXPECT_EQ(runs.of(WorkloadReference{"RayJob", "default", "ray"}), seconds(900));
  EXPECT_EQ(runs.of(pod_of("batch.volcano.sh/v1alpha1", "Job", "volcano")), seconds(1200));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "volcano")), std::nullopt) << "Kubernetes' Job is another one";
}

TEST(ExpectedRuns, OfAJobSetAreThoseOfItsJobsElseItsOwn) {
  const ExpectedRuns runs(objects_of(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {namespace: default, name: train, annotations: {loadline.dev/expected-duration: 2h}}
spec:
  replicatedJobs:
  - name: driver
    template:
      spec: {activeDeadlineSeconds: 60, template: {spec: {restartPolicy: Never, containers: [{name: m, image: x}]}}}
  - name: workers
    replicas: 2
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: m, image: x}]}}}}
)"));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "train-driver-0")), seconds(60));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "train-workers-1")), seconds(7200));
  EXPECT_EQ(runs.of(pod_of("batch/v1", "Job", "train-workers-2")), std::nullopt);
}

TEST(ExpectedRuns, ChangeWithTheirWorkloads) {
  ExpectedRuns runs;
  kube::Job job;
  job.metadata.namespace_ = "default";
  job.metadata.name = "a";
  EXPECT_FALSE(runs.set(job)) << "it says nothing";
  job.spec.active_deadline_seconds = 60;
  EXPECT_TRUE(runs.set(job));
  EXPECT_FALSE(runs.set(job));
  const WorkloadReference reference{"Job", "default", "a"};
  EXPECT_EQ(runs.of(reference), seconds(60));
  job.spec.active_deadline_seconds.reset();
  job.metadata.owner_references = pod_of("jobset.x-k8s.io/v1alpha2", "JobSet", "set").owner_references;
  EXPECT_TRUE(runs.set(job));
  EXPECT_EQ(runs.of(reference), std::nullopt);
  const WorkloadReference set{"JobSet", "default", "set"};
  EXPECT_THAT(runs.with_controlled(set), ElementsAre(set, reference));
  EXPECT_TRUE(runs.remove(reference));
  EXPECT_FALSE(runs.remove(reference));
  EXPECT_THAT(runs.with_controlled(set), ElementsAre(set));
}

TEST(ExpectedRuns, EndWhereControllersFormACircle) {
  ExpectedRuns runs;
  for (const auto& [name, above] : {std::pair("a", "b"), std::pair("b", "a")}) {
    kube::Job job;
    job.metadata = pod_of("batch/v1", "Job", above);
    job.metadata.name = name;
    runs.set(job);
  }
  EXPECT_EQ(runs.of(WorkloadReference{"Job", "default", "a"}), std::nullopt);
  EXPECT_FALSE(runs.with_controlled({"Job", "default", "a"}).empty());
}

}  // namespace
}  // namespace loadline::workloads
