#include "brain/workloads/expansion.h"

#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {
namespace {

using testing::kNow;
using testing::kSeed;
using testing::workload;

SourcePosition place(const char* file, std::uint32_t line) { return {std::make_shared<std::string>(file), line, 1}; }

TEST(Expansion, FollowsTheOrderOfTheInput) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("late"), workload<kube::Deployment>("nowhere")};
  objects.of<kube::Deployment>()[0].metadata.source = place("b.yaml", 1);
  objects.of<kube::StatefulSet>() = {workload<kube::StatefulSet>("second")};
  objects.of<kube::StatefulSet>()[0].metadata.source = place("a.yaml", 20);
  objects.of<kube::Job>() = {workload<kube::Job>("first")};
  objects.of<kube::Job>()[0].metadata.source = place("a.yaml", 3);
  std::vector<std::string> order;
  for (const CreatedPod& created : expand(objects, kNow, kSeed).pods) order.push_back(created.workload.name);
  EXPECT_EQ(order, (std::vector<std::string>{"first", "second", "late", "nowhere"}));
}

TEST(Expansion, ClaimsEphemeralVolumesForEachPod) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  objects.of<kube::Deployment>()[0].replicas = 2;
  auto spec = std::make_shared<kube::PodSpec>(*objects.of<kube::Deployment>()[0].template_.spec);
  spec->volumes.resize(1);
  spec->volumes[0].name = "scratch";
  spec->volumes[0].ephemeral_claim.emplace();
  objects.of<kube::Deployment>()[0].template_.spec = spec;
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.claims.size(), 2U);
  const std::string& pod = expansion.pods[1].pod.metadata.name;
  EXPECT_EQ(expansion.claims[1].metadata.name, pod + "-scratch");
  EXPECT_EQ(expansion.claims[1].metadata.controller()->name, pod);
}

TEST(Expansion, OfManyReplicasSharesOneSpec) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  objects.of<kube::Deployment>()[0].replicas = 100'000;
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 100'000U);
  // The templates of the Deployment and of its ReplicaSet, and each pod.
  EXPECT_EQ(objects.of<kube::Deployment>()[0].template_.spec.use_count(), 100'002);
}

}  // namespace
}  // namespace loadline::workloads
