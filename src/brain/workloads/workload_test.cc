#include "brain/workloads/workload.h"

#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {
namespace {

using testing::owned_pod;
using testing::workload;

TEST(Owners, FollowReferencesToTheTop) {
  kube::Objects objects;
  objects.of<kube::ReplicaSet>() = {workload<kube::ReplicaSet>("web-1"), workload<kube::ReplicaSet>("alone")};
  objects.of<kube::ReplicaSet>()[0].metadata.owner_references = {{"apps/v1", "Deployment", "web", "", true}};
  objects.of<kube::Job>() = {workload<kube::Job>("nightly-1")};
  objects.of<kube::Job>()[0].metadata.owner_references = {{"batch/v1", "CronJob", "nightly", "", true}};
  const Owners owners(objects);
  EXPECT_EQ(owners.owner_of(owned_pod("p", "ReplicaSet", "web-1")).to_string(), "Deployment default/web");
  EXPECT_EQ(owners.owner_of(owned_pod("p", "ReplicaSet", "alone")).to_string(), "ReplicaSet default/alone");
  EXPECT_EQ(owners.owner_of(owned_pod("p", "Job", "nightly-1")).to_string(), "CronJob default/nightly");
  EXPECT_EQ(owners.owner_of(owned_pod("p", "RayCluster", "ray")).to_string(), "RayCluster default/ray");
  kube::Pod bare = owned_pod("bare", "", "");
  bare.metadata.owner_references.clear();
  EXPECT_EQ(owners.owner_of(bare).to_string(), "Pod default/bare");
}

TEST(Owners, ReadNamesWhereTheMiddleIsMissing) {
  kube::Objects objects;
  objects.of<kube::CronJob>() = {workload<kube::CronJob>("nightly")};
  const Owners owners(objects);
  kube::Pod pod = owned_pod("web-5d4f-abcde", "ReplicaSet", "web-5d4f");
  EXPECT_EQ(owners.owner_of(pod).to_string(), "ReplicaSet default/web-5d4f");
  pod.metadata.labels["pod-template-hash"] = "5d4f";
  EXPECT_EQ(owners.owner_of(pod).to_string(), "Deployment default/web");
  EXPECT_EQ(owners.owner_of(owned_pod("p", "Job", "nightly-29012345")).to_string(), "CronJob default/nightly");
  EXPECT_EQ(owners.owner_of(owned_pod("p", "Job", "train-1")).to_string(), "Job default/train-1");
}

}  // namespace
}  // namespace loadline::workloads
