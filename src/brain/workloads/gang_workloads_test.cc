#include "brain/workloads/gang_workloads.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What a plan makes of a manifest: "GROUP minCount: pods that name it", of each group.
std::vector<std::string> groups_of(const std::string& yaml, WholeWorkloads which) {
  const kube::Decoding decoding = kube::decode_text(yaml);
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  Expansion expansion = expand(decoding.objects, {}, 1);
  group_whole_workloads(decoding.objects, which, expansion);
  std::vector<std::string> groups;
  for (const kube::PodGroup& group : expansion.made.of<kube::PodGroup>()) {
    std::size_t pods = 0;
    for (const CreatedPod& created : expansion.pods) pods += created.pod.spec->pod_group_name == group.metadata.name;
    groups.push_back(group.metadata.name + " " + std::to_string(*group.policy.min_count) + ": " + std::to_string(pods));
  }
  return groups;
}

constexpr const char* kSets = R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: worker
    replicas: 2
    template:
      spec:
        parallelism: 3
        completions: 3
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"}]}}
---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 2
    workerTemplate: {spec: {containers: [{name: main, image: "serve:1"}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "web:1"}]}}
)";

std::string training_job(const std::string& run_policy) {
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: bert}\nspec:\n  runPolicy: {" + run_policy +
         R"(}
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "bert:1"}]}}}
    Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: "bert:1"}]}}}
)";
}

TEST(WholeWorkloads, AreSetsOfJobsAndGroupsOfLeadersWithWorkers) {
  EXPECT_THAT(groups_of(kSets, WholeWorkloads::kThatAsk), IsEmpty());
  EXPECT_THAT(groups_of(kSets, WholeWorkloads::kAll),
              ElementsAre("jobset-train 6: 6", "leaderworkerset-serve-0 2: 2", "leaderworkerset-serve-1 2: 2"));
}

TEST(WholeWorkloads, AskInTheirSchedulingPolicy) {
  EXPECT_THAT(groups_of(training_job(""), WholeWorkloads::kThatAsk), IsEmpty());
  EXPECT_THAT(groups_of(training_job(""), WholeWorkloads::kAll), ElementsAre("pytorchjob-bert 4: 4"));
  EXPECT_THAT(groups_of(training_job("schedulingPolicy: {}"), WholeWorkloads::kThatAsk),
              ElementsAre("pytorchjob-bert 4: 4"));
  EXPECT_THAT(groups_of(training_job("schedulingPolicy: {minAvailable: 3}"), WholeWorkloads::kThatAsk),
              ElementsAre("pytorchjob-bert 3: 4"));
}

TEST(WholeWorkloads, ThatHaveBegunGoOnWithoutAGroup) {
  const std::string begun = training_job("schedulingPolicy: {}") + R"(---
apiVersion: v1
kind: Pod
metadata:
  name: bert-master-0
  labels: {training.kubeflow.org/job-name: bert, training.kubeflow.org/replica-type: master, training.kubeflow.org/replica-index: "0"}
  ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: bert, uid: u, controller: true}]
spec: {containers: [{name: pytorch, image: "bert:1"}]}
)";
  EXPECT_THAT(groups_of(begun, WholeWorkloads::kAll), IsEmpty());
}

}  // namespace
}  // namespace loadline::workloads
