#include "brain/workloads/replacement.h"

#include <gtest/gtest.h>

#include "brain/workloads/controller.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::workloads {
namespace {

using testing::kSeed;
using testing::owned_pod;
using testing::workload;

const kube::Objects kNothingMade;

std::optional<kube::Pod> replace(const kube::Pod& gone, const kube::Objects& objects, std::uint64_t number = 0,
                                 std::vector<const kube::Pod*> siblings = {}) {
  const Replacements replacements(objects, kNothingMade, kSeed);
  auto next = replacements.replace(gone, owner_of(gone, objects), std::move(siblings), number);
  return next ? std::optional(std::move(next->pod)) : std::nullopt;
}

/// The pod asks for more than its template does, and is on a node.
void resize(kube::Pod& pod) {
  auto spec = std::make_shared<kube::PodSpec>();
  spec->node_name = "n";
  spec->containers.resize(1);
  spec->containers[0].name = "resized";
  pod.spec = std::move(spec);
}

TEST(Replacement, OfAnUnknownReplicaIsACopyWithANewNameAndNoNode) {
  kube::Pod gone = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  resize(gone);
  const auto first = replace(gone, {}, 0);
  const auto second = replace(gone, {}, 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->metadata.name.substr(0, 6), "web-1-");
  EXPECT_NE(first->metadata.name, second->metadata.name);
  EXPECT_EQ(first->spec->node_name, "");
  EXPECT_EQ(first->spec->containers[0].name, "resized");
  EXPECT_EQ(first->status.phase, kube::PodPhase::kPending);
  EXPECT_FALSE(first->metadata.from_cluster());
}

TEST(Replacement, SharesTheSpecOfAnUnknownPodThatNamedNoNode) {
  const kube::Pod gone = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  EXPECT_EQ(replace(gone, {})->spec, gone.spec);
}

TEST(Replacement, InAnUnknownStatefulSetKeepsTheName) {
  EXPECT_EQ(replace(owned_pod("db-3", "StatefulSet", "db"), {}, 4)->metadata.name, "db-3");
}

TEST(Replacement, IsMadeOfTheTemplate) {
  kube::Objects objects;
  objects.of<kube::ReplicaSet>() = {workload<kube::ReplicaSet>("web-1")};
  kube::Pod gone = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  resize(gone);
  const auto next = replace(gone, objects);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->spec, objects.of<kube::ReplicaSet>()[0].template_.spec);
  EXPECT_EQ(next->metadata.labels.at("app"), "web-1");
  EXPECT_TRUE(next->metadata.name.starts_with("web-1-"));
}

TEST(Replacement, OfADeploymentIsMadeByTheReplicaSetThatLostThePod) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  for (const char* const name : {"web-1", "web-2"}) {
    kube::ReplicaSet set = workload<kube::ReplicaSet>(name);
    set.metadata.owner_references = {{"apps/v1", "Deployment", "web", "", true}};
    objects.of<kube::ReplicaSet>().push_back(set);
  }
  kube::Pod gone = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  EXPECT_EQ(replace(gone, objects)->metadata.labels.at("app"), "web-1") << "a rollout is taken as it stands";
  objects.of<kube::ReplicaSet>()[0].replicas = 0;
  const kube::Pod sibling = owned_pod("web-2-abcde", "ReplicaSet", "web-2");
  EXPECT_FALSE(replace(gone, objects, 0, {&sibling})) << "the Deployment has all that it wants";
}

TEST(Replacement, OfAnUnreadReplicaSetHasTheDeploymentsTemplate) {
  kube::Objects objects;
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  kube::Pod gone = owned_pod("web-5f-abcde", "ReplicaSet", "web-5f");
  gone.metadata.labels["pod-template-hash"] = "5f";
  resize(gone);
  const auto next = replace(gone, objects);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->spec->containers[0].name, "app");
  EXPECT_EQ(next->metadata.controller()->name, "web-5f");
  EXPECT_EQ(next->metadata.labels.at("pod-template-hash"), "5f");
}

TEST(Replacement, InAStatefulSetIsOfTheRevisionThatItsStrategySays) {
  kube::Objects objects;
  objects.of<kube::StatefulSet>() = {workload<kube::StatefulSet>("db")};
  kube::StatefulSet& set = objects.of<kube::StatefulSet>()[0];
  set.replicas = 3;
  set.partition = 2;
  set.status.current_revision = "db-old";
  set.status.update_revision = "db-new";
  kube::Pod gone = owned_pod("db-1", "StatefulSet", "db");
  gone.metadata.labels["controller-revision-hash"] = "db-old";
  resize(gone);
  const kube::Pod first = owned_pod("db-0", "StatefulSet", "db");
  const auto container_of_next = [&](const kube::Pod& lost) {
    const auto next = replace(lost, objects, 0, {&first});
    EXPECT_TRUE(next);
    EXPECT_EQ(next->metadata.name, lost.metadata.name);
    EXPECT_EQ(next->spec->node_name, "");
    return next->spec->containers[0].name;
  };
  EXPECT_EQ(container_of_next(gone), "resized") << "the partition keeps it back";
  gone.metadata.name = "db-2";
  EXPECT_EQ(container_of_next(gone), "app");
  gone.metadata.name = "db-1";
  set.update_strategy = "OnDelete";
  EXPECT_EQ(container_of_next(gone), "app");
}

TEST(Replacement, InAStatefulSetComesWithItsClaims) {
  kube::Objects objects;
  objects.of<kube::StatefulSet>() = {workload<kube::StatefulSet>("db")};
  objects.of<kube::StatefulSet>()[0].volume_claim_templates.emplace_back().metadata.name = "data";
  const Replacements replacements(objects, kNothingMade, kSeed);
  const auto next =
      replacements.replace(owned_pod("db-0", "StatefulSet", "db"), {"StatefulSet", "default", "db"}, {}, 0);
  ASSERT_TRUE(next);
  ASSERT_EQ(next->claims.size(), 1U);
  EXPECT_EQ(next->claims[0].metadata.name, "data-db-0");
}

TEST(Replacement, OfAJobHasTheIndexThatIsFree) {
  kube::Objects objects;
  objects.of<kube::Job>() = {workload<kube::Job>("train")};
  kube::JobSpec& spec = objects.of<kube::Job>()[0].spec;
  spec.indexed = true;
  spec.parallelism = spec.completions = 3;
  const auto indexed = [](const char* index) {
    kube::Pod pod = owned_pod(std::string("train-") + index, "Job", "train");
    pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] = index;
    return pod;
  };
  kube::Pod done = indexed("0");
  done.status.phase = kube::PodPhase::kSucceeded;
  objects.of<kube::Pod>() = {done};
  const kube::Pod running = indexed("1");
  const auto next = replace(indexed("2"), objects, 0, {&running});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->metadata.generate_name, "train-2-");
}

TEST(Replacement, JoinsTheGroupThatAControllerHadThePodJoin) {
  kube::Objects objects;
  objects.of<kube::Job>() = {workload<kube::Job>("train")};
  kube::Objects made;
  kube::PodGroup& group = made.of<kube::PodGroup>().emplace_back();
  group.metadata.name = "train-group";
  group.metadata.namespace_ = "default";
  group.metadata.owner_references = {{"batch/v1", "Job", "train", "", true}};
  kube::Pod gone = owned_pod("train-abcde", "Job", "train");
  auto spec = std::make_shared<kube::PodSpec>();
  spec->pod_group_name = "train-group";
  gone.spec = spec;
  const Replacements replacements(objects, made, kSeed);
  const auto next = replacements.replace(gone, {"Job", "default", "train"}, {}, 0);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->pod.spec->pod_group_name, "train-group");
  EXPECT_EQ(next->pod.spec->containers[0].name, "app");
}

TEST(Replacement, IsNotMadeForPodsWithoutAWillingController) {
  kube::Pod bare = owned_pod("bare", "", "");
  bare.metadata.owner_references.clear();
  EXPECT_FALSE(replace(bare, {}));
  EXPECT_FALSE(replace(owned_pod("etcd-master", "Node", "master"), {}));

  kube::Objects objects;
  objects.of<kube::Job>() = {workload<kube::Job>("train")};
  EXPECT_TRUE(replace(owned_pod("train-abcde", "Job", "train"), objects));
  objects.of<kube::Job>()[0].spec.suspend = true;
  EXPECT_FALSE(replace(owned_pod("train-abcde", "Job", "train"), objects));
  objects.of<kube::Job>()[0].spec.suspend = false;
  objects.of<kube::Job>()[0].spec.parallelism = 0;
  EXPECT_FALSE(replace(owned_pod("train-abcde", "Job", "train"), objects));
  objects.of<kube::Job>()[0].spec.parallelism = 1;
  objects.of<kube::Job>()[0].metadata.deletion_timestamp = testing::kNow;
  EXPECT_FALSE(replace(owned_pod("train-abcde", "Job", "train"), objects));

  kube::Pod replica = owned_pod("web-1-abcde", "ReplicaSet", "web-1");
  replica.metadata.labels["pod-template-hash"] = "1";
  objects.of<kube::Deployment>() = {workload<kube::Deployment>("web")};
  EXPECT_TRUE(replace(replica, objects));
  objects.of<kube::Deployment>()[0].replicas = 0;
  EXPECT_FALSE(replace(replica, objects));
}

TEST(Replacement, OfAJobIsMadeAsLongAsItsBackoffLimitAllows) {
  kube::Objects objects;
  objects.of<kube::Job>() = {workload<kube::Job>("train")};
  kube::Job& job = objects.of<kube::Job>()[0];
  const auto losses_left = [&] {
    return Replacements(objects, kNothingMade, kSeed).losses_left(owned_pod("a", "Job", "train"));
  };
  EXPECT_EQ(losses_left(), 6);
  job.spec.backoff_limit = 2;
  job.status.failed = 1;
  EXPECT_EQ(losses_left(), 1);
  job.spec.pod_failure_policy.emplace().rules = {{"Ignore", {}, {{"DisruptionTarget", "True"}}}};
  EXPECT_EQ(losses_left(), std::nullopt);
  job.spec.pod_failure_policy->rules[0].action = "Count";
  EXPECT_EQ(losses_left(), 1);
}

TEST(Replacement, FollowsAtOnceUnlessTheNameOrTheJobSaysOtherwise) {
  kube::Objects objects;
  objects.of<kube::Job>() = {workload<kube::Job>("train")};
  const auto follows_at_once = [&](const char* kind, const char* owner) {
    return Replacements(objects, kNothingMade, kSeed).follows_at_once(owned_pod("a", kind, owner));
  };
  EXPECT_TRUE(follows_at_once("ReplicaSet", "web-1"));
  EXPECT_FALSE(follows_at_once("StatefulSet", "db"));
  EXPECT_TRUE(follows_at_once("Job", "train"));
  objects.of<kube::Job>()[0].spec.pod_replacement_policy = "Failed";
  EXPECT_FALSE(follows_at_once("Job", "train"));
}

}  // namespace
}  // namespace loadline::workloads
