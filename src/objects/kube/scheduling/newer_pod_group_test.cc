#include "objects/kube/scheduling/newer_pod_group.h"

#include <gmock/gmock.h>

#include "objects/kube/condition.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(NewerPodGroups, AreReadAsTheVersionThatIsServed) {
  const Decoding decoding = decode_text(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: train}
spec:
  workloadRef: {workloadName: train, templateName: workers}
  schedulingPolicy: {gang: {minCount: 4}}
  disruptionMode: {all: {}}
status:
  conditions:
  - {type: PodGroupInitiallyScheduled, status: "True", reason: Scheduled, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}
)");
  ASSERT_THAT(decoding.objects.of<PodGroup>(), SizeIs(1));
  const PodGroup& group = decoding.objects.of<PodGroup>().front();
  EXPECT_EQ(group.policy.min_count, 4);
  EXPECT_EQ(group.made_of.workload, "train");
  EXPECT_EQ(group.made_of.template_, "workers");
  EXPECT_EQ(group.disruption_mode, "PodGroup");
  EXPECT_TRUE(has_true_condition(group.conditions, "PodGroupScheduled"));
  ASSERT_THAT(decoding.diagnostics, SizeIs(1));
  EXPECT_THAT(decoding.diagnostics.front().to_string(), HasSubstr("is served from v1.37 on"));
}

TEST(NewerPodGroups, OfSinglePodsLoseThemOneByOne) {
  const Decoding decoding = decode_text(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: train}
spec: {schedulingPolicy: {basic: {}}, disruptionMode: {single: {}}}
)");
  ASSERT_THAT(decoding.objects.of<PodGroup>(), SizeIs(1));
  EXPECT_EQ(decoding.objects.of<PodGroup>().front().disruption_mode, "Pod");
}

}  // namespace
}  // namespace loadline::kube
