#include "brain/workloads/success_records.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "objects/kube/testing/decoding.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "GROUP OWNER ROLE: succeeded".
std::vector<std::string> records_in(const std::string& yaml) {
  const kube::Decoding decoding = kube::decode_text(yaml);
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  std::vector<std::string> texts;
  for (const GroupRecord& each : success_records(decoding.objects)) {
    texts.push_back(each.group.second.name + " " + each.record.owner + " " + each.record.role + ": " +
                    std::to_string(each.record.succeeded));
  }
  return texts;
}

std::string job(const std::string& metadata, const std::string& spec, const std::string& pods,
                const std::string& status) {
  return "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: train, " + metadata + "}, spec: {" + spec +
         "template: {metadata: {" + pods +
         "}, spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}" + ", status: {" + status +
         "}}\n";
}

std::string pod_group(const std::string& name, const std::string& kind) {
  std::string text =
      "---\n{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: GROUP, ownerReferences: "
      "[{apiVersion: x/v1, kind: KIND, name: train, uid: u, controller: true}]}, spec: {schedulingPolicy: {gang: "
      "{minCount: 3}}}}\n";
  text.replace(text.find("GROUP,"), 5, name);
  return text.replace(text.find("KIND"), 4, kind);
}

TEST(SuccessRecords, OfAJobAreWhatItsStatusCounts) {
  const std::string named = "labels: {scheduling.x-k8s.io/pod-group: gang}";
  const std::string indexed = "completionMode: Indexed, parallelism: 3, completions: 3, ";
  EXPECT_THAT(records_in(job("", "", named, "")), IsEmpty());
  EXPECT_THAT(records_in(job("", "", "", "succeeded: 1")), IsEmpty()) << "its pods are of no group";
  EXPECT_THAT(records_in(job("", "", named, "succeeded: 2")), ElementsAre("gang Job/train : 2"));
  EXPECT_THAT(records_in(job("", "", named, "succeeded: 2, uncountedTerminatedPods: {succeeded: [a]}")),
              ElementsAre("gang Job/train : 3"));
  EXPECT_THAT(records_in(job("", indexed, named, "completedIndexes: '0,2'")), ElementsAre("gang Job/train : 2"));
  EXPECT_THAT(records_in(job("", indexed, named, "completedIndexes: '0-7'")), ElementsAre("gang Job/train : 3"));
  EXPECT_THAT(records_in(job("", indexed, "", "succeeded: 1") + pod_group("made", "Job")),
              ElementsAre("made Job/train : 1"));
}

TEST(SuccessRecords, OfAJobSetAreItsJobsAndItsOwn) {
  const std::string set =
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: train, uid: u}, spec: {replicatedJobs: "
      "[{name: w, replicas: 3, template: {spec: {parallelism: 2, completions: 2, template: {spec: {restartPolicy: "
      "Never, containers: [{name: main, image: train}]}}}}}]}, status: {replicatedJobsStatus: [{name: w, succeeded: "
      "SUCCEEDED, ready: 0, failed: 0, active: 1, suspended: 0}]}}\n";
  const auto with = [&](int succeeded, const std::string& more) {
    std::string text = set;
    return text.replace(text.find("SUCCEEDED"), 9, std::to_string(succeeded)) + pod_group("jobset-train", "JobSet") +
           more;
  };
  const std::string labels =
      "labels: {jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: w}";
  const std::string child = job(labels +
                                    ", ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: "
                                    "train, uid: u, controller: true}]",
                                "", labels, "succeeded: 2, conditions: [{type: Complete, status: 'True'}]");
  EXPECT_THAT(records_in(with(0, "")), IsEmpty());
  EXPECT_THAT(records_in(with(1, child)), ElementsAre("jobset-train Job/train : 2"));
  EXPECT_THAT(records_in(with(2, child)), ElementsAre("jobset-train Job/train : 2", "jobset-train JobSet/train w: 2"));
}

TEST(SuccessRecords, OfOperatorsJobsAreByRole) {
  const std::string pod = "template: {spec: {containers: [{name: pytorch, image: train}]}}";
  const std::string torch =
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: train}, spec: {pytorchReplicaSpecs: {Master: "
      "{replicas: 1, " +
      pod + "}, Worker: {replicas: 3, " + pod +
      "}}}, status: {replicaStatuses: {Master: {active: 1}, Worker: {active: 1, succeeded: 2}}}}\n";
  EXPECT_THAT(records_in(torch), IsEmpty());
  EXPECT_THAT(records_in(torch + pod_group("pytorchjob-train", "PyTorchJob")),
              ElementsAre("pytorchjob-train PyTorchJob/train worker: 2"));
  EXPECT_THAT(
      records_in("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, uid: u}, spec: "
                 "{minAvailable: 3, tasks: [{name: w, replicas: 3, template: {spec: {containers: [{name: main, image: "
                 "train}]}}}]}, status: {taskStatusCount: {w: {phase: {Succeeded: 1, Running: 2}}}}}"),
      ElementsAre("train-u VolcanoJob/train w: 1"));
}

}  // namespace
}  // namespace loadline::workloads
