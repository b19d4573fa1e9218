#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"

namespace loadline::workloads {
namespace {

using testing::kNow;
using testing::kSeed;
using testing::names;
using testing::owned_pod;
using testing::workload;

kube::StatefulSet database() {
  auto result = workload<kube::StatefulSet>("db");
  result.replicas = 3;
  result.selector.emplace();
  result.selector->match_labels = {{"app", "db"}};
  return result;
}

TEST(StatefulSet, NumbersItsPods) {
  kube::Objects objects;
  objects.of<kube::StatefulSet>() = {database()};
  objects.of<kube::StatefulSet>()[0].ordinals_start = 5;
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_EQ(names(expansion), (std::vector<std::string>{"db-5", "db-6", "db-7"}));
  const auto& metadata = expansion.pods[1].pod.metadata;
  EXPECT_EQ(metadata.labels.at("statefulset.kubernetes.io/pod-name"), "db-6");
  EXPECT_EQ(metadata.labels.at("apps.kubernetes.io/pod-index"), "6");
  EXPECT_EQ(metadata.generate_name, "");
  EXPECT_EQ(expansion.pods[0].pod.spec, expansion.pods[1].pod.spec);
}

TEST(StatefulSet, ClaimsVolumesThatDoNotExistYet) {
  kube::Objects objects;
  objects.of<kube::StatefulSet>() = {database()};
  auto& stateful_set = objects.of<kube::StatefulSet>()[0];
  stateful_set.replicas = 2;
  stateful_set.volume_claim_templates.resize(1);
  stateful_set.volume_claim_templates[0].metadata.name = "data";
  auto spec = std::make_shared<kube::PodSpec>(*stateful_set.template_.spec);
  spec->volumes.resize(2);
  spec->volumes[0].name = "data";
  spec->volumes[1].name = "tmp";
  stateful_set.template_.spec = spec;
  objects.of<kube::PersistentVolumeClaim>().resize(1);
  objects.of<kube::PersistentVolumeClaim>()[0].metadata.name = "data-db-0";
  objects.of<kube::PersistentVolumeClaim>()[0].metadata.namespace_ = "default";
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.claims.size(), 1U);
  EXPECT_EQ(expansion.claims[0].metadata.name, "data-db-1");
  EXPECT_EQ(expansion.claims[0].metadata.labels.at("app"), "db");
  ASSERT_EQ(expansion.pods.size(), 2U);
  const auto& volumes = expansion.pods[1].pod.spec->volumes;
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0].persistent_volume_claim->claim_name, "data-db-1");
  EXPECT_EQ(volumes[1].name, "tmp");
}

TEST(StatefulSet, ReplacesFinishedPodsAndWaitsForLeavingOnes) {
  kube::Objects objects;
  objects.of<kube::StatefulSet>() = {database()};
  objects.of<kube::Pod>() = {owned_pod("db-0", "StatefulSet", "db"), owned_pod("db-1", "StatefulSet", "db")};
  objects.of<kube::Pod>()[0].status.phase = kube::PodPhase::kFailed;
  objects.of<kube::Pod>()[1].metadata.deletion_timestamp = kNow;
  EXPECT_EQ(names(expand(objects, kNow, kSeed)), (std::vector<std::string>{"db-0", "db-2"}));
}

}  // namespace
}  // namespace loadline::workloads
