#include "objects/kube/readable_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/codec.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;

TEST(ReadableVersions, TheRegistrysComeFirst) {
  EXPECT_THAT(readable_versions(kind_of<MpiJob>()), ElementsAre("kubeflow.org/v2beta1", "kubeflow.org/v1"));
  EXPECT_THAT(readable_versions(kind_of<PodDisruptionBudget>()), ElementsAre("policy/v1", "policy/v1beta1"));
  EXPECT_THAT(readable_versions(kind_of<CronJob>()), ElementsAre("batch/v1", "batch/v1beta1", "batch/v2alpha1"));
  EXPECT_THAT(readable_versions(kind_of<PodGroup>()),
              ElementsAre("scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"));
  EXPECT_THAT(readable_versions(kind_of<Workload>()),
              ElementsAre("scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1alpha1"));
}

/// An object of a cluster, in each version in which its kind is said to be readable, is not skipped.
TEST(ReadableVersions, AreRead) {
  for (const KindInfo& info : known_kinds()) {
    if (!info.is_heeded) continue;  // counted among what was skipped all the same
    for (const std::string_view version : readable_versions(info)) {
      const std::string text = "{apiVersion: " + std::string(version) + ", kind: " + std::string(info.kind) +
                               ", metadata: {name: x, uid: u, creationTimestamp: \"2026-01-01T00:00:00Z\"}}";
      const Decoding decoding = decode({{document::read_yaml(text, "test").documents.front(), "test"}});
      EXPECT_TRUE(decoding.objects.skipped.empty()) << text;
      EXPECT_FALSE(has_errors(decoding.diagnostics)) << text;
    }
  }
}

}  // namespace
}  // namespace loadline::kube
