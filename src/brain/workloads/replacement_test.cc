#include "brain/workloads/replacement.h"

#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {
namespace {

using testing::kSeed;
using testing::owned_pod;
using testing::workload;

TEST(Replacement, OfAReplicaHasANewNameAndNoNode) {
  kube::Pod gone = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  auto spec = std::make_shared<kube::PodSpec>();
  spec->node_name = "n";
  gone.spec = spec;
  const auto first = replace(gone, {}, 0, kSeed);
  const auto second = replace(gone, {}, 1, kSeed);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->metadata.name.substr(0, 6), "web-1-");
  EXPECT_NE(first->metadata.name, second->metadata.name);
  EXPECT_EQ(first->spec->node_name, "");
  EXPECT_EQ(first->status.phase, kube::PodPhase::kPending);
  EXPECT_FALSE(first->metadata.from_cluster());
}

TEST(Replacement, SharesTheSpecOfAPodThatNamedNoNode) {
  const kube::Pod gone = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  EXPECT_EQ(replace(gone, {}, 0, kSeed)->spec, gone.spec);
}

TEST(Replacement, InAStatefulSetKeepsTheName) {
  EXPECT_EQ(replace(owned_pod("db-3", "StatefulSet", "db"), {}, 4, kSeed)->metadata.name, "db-3");
}

TEST(Replacement, IsNotMadeForPodsWithoutAWillingController) {
  kube::Pod bare = owned_pod("bare", "", "");
  bare.metadata.owner_references.clear();
  EXPECT_FALSE(replace(bare, {}, 0, kSeed));
  EXPECT_FALSE(replace(owned_pod("etcd-master", "Node", "master"), {}, 0, kSeed));

  kube::Objects objects;
  objects.of<kube::Job>() = {workload<kube::Job>("train")};
  EXPECT_TRUE(replace(owned_pod("train-abcde", "Job", "train"), objects, 0, kSeed));
  objects.of<kube::Job>()[0].spec.suspend = true;
  EXPECT_FALSE(replace(owned_pod("train-abcde", "Job", "train"), objects, 0, kSeed));
  objects.of<kube::Job>()[0].spec.suspend = false;
  objects.of<kube::Job>()[0].spec.parallelism = 0;
  EXPECT_FALSE(replace(owned_pod("train-abcde", "Job", "train"), objects, 0, kSeed));

  kube::Pod replica = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  replica.metadata.labels["pod-template-hash"] = "1";
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  EXPECT_TRUE(replace(replica, objects, 0, kSeed));
  objects.of<kube::Deployment>()[0].replicas = 0;
  EXPECT_FALSE(replace(replica, objects, 0, kSeed));
}

}  // namespace
}  // namespace loadline::workloads
