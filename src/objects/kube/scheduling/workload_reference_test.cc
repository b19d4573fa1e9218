#include "objects/kube/scheduling/workload_reference.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/overlay.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kWorkload = R"(
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: train}
spec:
  podGroups:
  - {name: workers, policy: {gang: {minCount: 4}}}
  - {name: log, policy: {basic: {}}}
---
)";

std::string pod(const std::string& name, const std::string& spec) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {" + spec +
         ", containers: [{name: main, image: \"train:1\"}]}\n---\n";
}

/// "NAME minCount" of each PodGroup.
std::vector<std::string> groups_in(const Decoding& decoding) {
  std::vector<std::string> texts;
  for (const PodGroup& group : decoding.objects.of<PodGroup>()) {
    texts.push_back(group.metadata.name + " " + std::to_string(group.policy.min_count.value_or(0)));
  }
  return texts;
}

constexpr const char* kWorker0 = "workloadRef: {name: train, podGroup: workers, podGroupReplicaKey: r0}";

TEST(WorkloadReference, OfPodsBecomesPodGroupsByReplica) {
  const std::string pods = pod("a", kWorker0) + pod("b", kWorker0) +
                           pod("c", "workloadRef: {name: train, podGroup: workers, podGroupReplicaKey: r1}") +
                           pod("d", "workloadRef: {name: train, podGroup: log}");
  for (const std::string& text : {kWorkload + pods, pods + kWorkload}) {
    const Decoding decoding = decode_text(text);
    EXPECT_THAT(groups_in(decoding), UnorderedElementsAre("train-workers-r0 4", "train-workers-r1 4", "train-log 0"));
    std::vector<std::string> named;
    for (const Pod& each : decoding.objects.of<Pod>()) named.push_back(each.spec->pod_group_name);
    EXPECT_THAT(named, ElementsAre("train-workers-r0", "train-workers-r0", "train-workers-r1", "train-log"));
    EXPECT_THAT(decoding.diagnostics, SizeIs(5));
  }
}

TEST(WorkloadReference, SaysWhatItIsReadAs) {
  const Decoding decoding = decode_text(kWorkload + pod("a", kWorker0));
  ASSERT_THAT(decoding.diagnostics, SizeIs(2));
  EXPECT_THAT(decoding.diagnostics[0].to_string(), HasSubstr("Workload was served by v1.35 alone"));
  EXPECT_THAT(decoding.diagnostics[1].to_string(),
              HasSubstr("warning: Pod default/a: spec.workloadRef: is of Kubernetes v1.35, and v1.36 drops it (read as "
                        "schedulingGroup: {podGroupName: train-workers-r0}, a PodGroup of the same policy)"));
}

TEST(WorkloadReference, StandsInTemplatesToo) {
  const Decoding decoding = decode_text(std::string(kWorkload) + R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      workloadRef: {name: train, podGroup: workers}
      restartPolicy: Never
      containers: [{name: main, image: "train:1"}]
)");
  EXPECT_THAT(groups_in(decoding), ElementsAre("train-workers 4"));
  ASSERT_THAT(decoding.objects.of<Job>(), SizeIs(1));
  EXPECT_EQ(decoding.objects.of<Job>().front().spec.template_.spec->pod_group_name, "train-workers");
}

TEST(WorkloadReference, DoesNotCountBesideASchedulingGroup) {
  const Decoding decoding =
      decode_text(kWorkload + pod("a", std::string(kWorker0) + ", schedulingGroup: {podGroupName: other}"));
  EXPECT_THAT(groups_in(decoding), IsEmpty());
  EXPECT_EQ(decoding.objects.of<Pod>().front().spec->pod_group_name, "other");
  EXPECT_THAT(decoding.diagnostics[1].to_string(), HasSubstr("does not count beside schedulingGroup"));
}

TEST(WorkloadReference, ToAWorkloadThatIsNotThereLeavesTheGroupUndescribed) {
  const Decoding decoding = decode_text(pod("a", kWorker0));
  EXPECT_THAT(groups_in(decoding), IsEmpty());
  EXPECT_EQ(decoding.objects.of<Pod>().front().spec->pod_group_name, "train-workers-r0");
}

TEST(WorkloadReference, MakesTheGroupOfAWorkloadThatIsDefinedAgainOfTheLaterOne) {
  const std::string later =
      "apiVersion: scheduling.k8s.io/v1alpha1\nkind: Workload\nmetadata: {name: train}\nspec: {podGroups: [{name: "
      "workers, policy: {gang: {minCount: 8}}}]}\n---\n";
  EXPECT_THAT(groups_in(decode_text(kWorkload + pod("a", kWorker0) + later)), ElementsAre("train-workers-r0 8"));
}

TEST(WorkloadReference, FindsTheWorkloadOnTheOtherSideOfAnOverlay) {
  Decoding cluster = decode_text(kWorkload + pod("a", kWorker0));
  const std::string later = pod("b", kWorker0) + pod("c", "workloadRef: {name: train, podGroup: log}");
  apply_over(cluster.objects, decode_text(later).objects);
  EXPECT_THAT(groups_in(cluster), ElementsAre("train-workers-r0 4", "train-log 0"));
  Decoding pods = decode_text(later);
  apply_over(pods.objects, decode_text(kWorkload).objects);
  EXPECT_THAT(groups_in(pods), ElementsAre("train-workers-r0 4", "train-log 0"));
}

TEST(WorkloadReference, LeavesAGroupThatWasWritten) {
  constexpr const char* kGroup =
      "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: train-workers-r0}\nspec: "
      "{schedulingPolicy: {gang: {minCount: 2}}}\n---\n";
  EXPECT_THAT(groups_in(decode_text(kWorkload + pod("a", kWorker0) + kGroup)), ElementsAre("train-workers-r0 2"));
  Decoding cluster = decode_text(kGroup);
  apply_over(cluster.objects, decode_text(kWorkload + pod("a", kWorker0)).objects);
  EXPECT_THAT(groups_in(cluster), ElementsAre("train-workers-r0 2"));
}

}  // namespace
}  // namespace loadline::kube
