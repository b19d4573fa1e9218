#include <gtest/gtest.h>

#include <set>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/service.h"

namespace loadline::workloads {
namespace {

using testing::kNow;
using testing::kSeed;
using testing::names;
using testing::owned_pod;
using testing::workload;

kube::Objects with_deployment(std::int32_t replicas) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  objects.of<kube::Deployment>()[0].replicas = replicas;
  return objects;
}

TEST(Deployment, BecomesPodsThatShareASpec) {
  const kube::Objects objects = with_deployment(3);
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 3U);
  const kube::Pod& pod = expansion.pods[0].pod;
  const std::string hash = pod.metadata.labels.at("pod-template-hash");
  EXPECT_EQ(pod.metadata.labels.at("app"), "web");
  EXPECT_EQ(pod.metadata.generate_name, "web-" + hash + "-");
  EXPECT_EQ(pod.metadata.name.substr(0, pod.metadata.generate_name.size()), pod.metadata.generate_name);
  EXPECT_EQ(pod.metadata.controller()->kind, "ReplicaSet");
  EXPECT_EQ(pod.metadata.controller()->name, "web-" + hash);
  EXPECT_FALSE(pod.metadata.from_cluster());
  EXPECT_EQ(expansion.pods[2].pod.spec, objects.of<kube::Deployment>()[0].template_.spec);
  EXPECT_EQ(expansion.pods[0].workload.to_string(), "Deployment default/web");
  const auto all = names(expansion);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 3U);
  EXPECT_EQ(names(expand(objects, kNow, kSeed)), all);
  EXPECT_EQ(owner_of(pod, objects), expansion.pods[0].workload);
}

TEST(Deployment, CutsTheNameOfItsReplicaSetSoThatTheHashFits) {
  kube::Objects objects = with_deployment(1);
  objects.of<kube::Deployment>()[0].metadata.name = std::string(253, 'x');
  const Expansion expansion = expand(objects, kNow, kSeed);
  const kube::ReplicaSet& replica_set = expansion.made.of<kube::ReplicaSet>().at(0);
  const std::string hash = expansion.pods.at(0).pod.metadata.labels.at("pod-template-hash");
  EXPECT_EQ(replica_set.metadata.name, std::string(252 - hash.size(), 'x') + "-" + hash);
  EXPECT_EQ(expansion.pods[0].pod.metadata.controller()->name, replica_set.metadata.name);
}

TEST(Deployment, CreatesOnlyWhatIsMissingThroughItsNewestReplicaSet) {
  kube::Objects objects = with_deployment(4);
  for (const char* name : {"web-old", "web-new"}) {
    auto replica_set = workload<kube::ReplicaSet>(name);
    replica_set.metadata.owner_references = {{"apps/v1", "Deployment", "web", "", true}};
    replica_set.metadata.annotations["deployment.kubernetes.io/revision"] = name[4] == 'o' ? "9" : "10";
    replica_set.replicas = 2;
    objects.of<kube::ReplicaSet>().push_back(replica_set);
  }
  objects.of<kube::Pod>() = {owned_pod("a", "ReplicaSet", "web-old"), owned_pod("b", "ReplicaSet", "web-new"),
                             owned_pod("failed", "ReplicaSet", "web-new"),
                             owned_pod("leaving", "ReplicaSet", "web-new")};
  objects.of<kube::Pod>()[2].status.phase = kube::PodPhase::kFailed;
  objects.of<kube::Pod>()[3].metadata.deletion_timestamp = kNow;
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 2U);
  EXPECT_EQ(expansion.pods[0].pod.metadata.controller()->name, "web-new");
  EXPECT_EQ(expansion.pods[0].workload.to_string(), "Deployment default/web");
}

TEST(Deployment, KnowsItsPodsEvenIfItsReplicaSetWasNotRead) {
  kube::Objects objects = with_deployment(2);
  objects.of<kube::Pod>() = {owned_pod("web-5d4f-abcde", "ReplicaSet", "web-5d4f")};
  objects.of<kube::Pod>()[0].metadata.labels["pod-template-hash"] = "5d4f";
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 1U);
  EXPECT_EQ(expansion.pods[0].pod.metadata.controller()->name, "web-5d4f");
  EXPECT_EQ(expansion.pods[0].pod.metadata.labels.at("pod-template-hash"), "5d4f");
}

TEST(Deployment, DoesNotGiveANameThatExists) {
  kube::Objects objects = with_deployment(2);
  const Expansion first = expand(objects, kNow, kSeed);
  objects.of<kube::Pod>() = {first.pods[0].pod};
  objects.of<kube::Pod>()[0].metadata.uid = "1";
  const Expansion second = expand(objects, kNow, kSeed);
  ASSERT_EQ(second.pods.size(), 1U);
  EXPECT_NE(second.pods[0].pod.metadata.name, first.pods[0].pod.metadata.name);
}

TEST(Deployment, LeavesASurplusAndADeletedOneAlone) {
  kube::Objects objects = with_deployment(1);
  objects.of<kube::ReplicaSet>() = {workload<kube::ReplicaSet>("web-1")};
  objects.of<kube::ReplicaSet>()[0].metadata.owner_references = {{"apps/v1", "Deployment", "web", "", true}};
  objects.of<kube::Pod>() = {owned_pod("a", "ReplicaSet", "web-1"), owned_pod("b", "ReplicaSet", "web-1")};
  EXPECT_TRUE(expand(objects, kNow, kSeed).pods.empty());
  objects = with_deployment(1);
  objects.of<kube::Deployment>()[0].metadata.deletion_timestamp = kNow;
  EXPECT_TRUE(expand(objects, kNow, kSeed).pods.empty());
}

TEST(ReplicaSet, AndReplicationControllerCreateTheirReplicas) {
  kube::Objects objects;
  objects.of<kube::ReplicaSet>() = {workload<kube::ReplicaSet>("rs")};
  objects.of<kube::ReplicaSet>()[0].replicas = 2;
  objects.of<kube::ReplicaSet>()[0].metadata.uid = "right";
  objects.of<kube::Pod>() = {owned_pod("other", "ReplicaSet", "rs")};
  objects.of<kube::Pod>()[0].metadata.owner_references[0].uid = "wrong";
  objects.of<kube::ReplicationController>() = {workload<kube::ReplicationController>("rc")};
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 3U);
  EXPECT_EQ(expansion.pods[0].workload.to_string(), "ReplicaSet default/rs");
  EXPECT_EQ(expansion.pods[0].pod.metadata.controller()->uid, "right");
  EXPECT_EQ(expansion.pods[2].workload.to_string(), "ReplicationController default/rc");
  EXPECT_EQ(expansion.pods[2].pod.metadata.controller()->api_version, "v1");
}

}  // namespace
}  // namespace loadline::workloads
