#include "brain/workloads/leader_worker_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/testing/objects.h"
#include "foundation/base/digest.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;
using ::testing::SizeIs;

/// A LeaderWorkerSet "llm" of two groups of three; `more` is added to its template, `rest` to its spec.
kube::Objects two_groups(const std::string& more = "", const std::string& annotations = "",
                         const std::string& rest = "") {
  kube::Decoding decoding = kube::decode_text(
      "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: llm, namespace: default, "
      "annotations: {" +
      annotations +
      "}}, spec: {replicas: 2, leaderWorkerTemplate: {size: 3, workerTemplate: {metadata: {labels: {role: "
      "w}}, spec: {containers: [{name: c, image: i}]}}" +
      more + "}" + rest + "}}");
  for (const Diagnostic& each : decoding.diagnostics) {
    EXPECT_THAT(each.message, HasSubstr("checked by the definition of")) << each.path;
  }
  return std::move(decoding.objects);
}

const kube::Pod& pod(const Expansion& expansion, std::string_view name) {
  for (const CreatedPod& each : expansion.pods) {
    if (each.pod.metadata.name == name) return each.pod;
  }
  ADD_FAILURE() << "no pod " << name;
  return expansion.pods.front().pod;
}

TEST(LeaderWorkerSet, HasALeaderAndItsWorkersForEachGroup) {
  const Expansion expansion = expand(two_groups(), kNow, kSeed);
  EXPECT_THAT(testing::names(expansion), ElementsAre("llm-0", "llm-0-1", "llm-0-2", "llm-1", "llm-1-1", "llm-1-2"));
  for (const CreatedPod& each : expansion.pods) EXPECT_EQ(each.workload.to_string(), "LeaderWorkerSet default/llm");
  const kube::StringMap& leader = pod(expansion, "llm-1").metadata.labels;
  EXPECT_EQ(leader.at("leaderworkerset.sigs.k8s.io/worker-index"), "0");
  EXPECT_EQ(leader.at("leaderworkerset.sigs.k8s.io/group-index"), "1");
  EXPECT_EQ(leader.at("leaderworkerset.sigs.k8s.io/group-key"), sha1_hex("default/llm-1"));
  EXPECT_EQ(leader.at("role"), "w") << "a leader without a template of its own is a worker";
  const kube::Pod& worker = pod(expansion, "llm-1-2");
  EXPECT_EQ(worker.metadata.labels.at("leaderworkerset.sigs.k8s.io/worker-index"), "2");
  EXPECT_EQ(worker.metadata.labels.at("leaderworkerset.sigs.k8s.io/group-key"), sha1_hex("default/llm-1"));
  EXPECT_EQ(worker.metadata.annotations.at("leaderworkerset.sigs.k8s.io/leader-name"), "llm-1");
  EXPECT_EQ(worker.metadata.annotations.at("leaderworkerset.sigs.k8s.io/size"), "3");
  EXPECT_EQ(worker.metadata.controller()->name, "llm-1");
  EXPECT_EQ(role_of(expansion.pods[0].workload, worker.metadata), "worker");
}

TEST(LeaderWorkerSet, MakesWhatSelectsItsPods) {
  const Expansion expansion = expand(two_groups(), kNow, kSeed);
  EXPECT_THAT(expansion.made.of<kube::StatefulSet>(), SizeIs(3));
  EXPECT_THAT(expansion.made.of<kube::Service>(), SizeIs(1));
  const auto by_group = expand(two_groups("", "", ", networkConfig: {subdomainPolicy: UniquePerReplica}"), kNow, kSeed);
  ASSERT_THAT(by_group.made.of<kube::Service>(), SizeIs(2));
  EXPECT_EQ(by_group.made.of<kube::Service>()[1].metadata.name, "llm-1");
}

TEST(LeaderWorkerSet, AGroupMayHaveADomainToItself) {
  const auto expansion = expand(two_groups("", "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"), kNow, kSeed);
  const kube::Affinity& leader = *pod(expansion, "llm-0").spec->affinity;
  EXPECT_EQ(leader.pod_anti->required.at(0).topology_key, "rack");
  const kube::Affinity& worker = *pod(expansion, "llm-0-1").spec->affinity;
  EXPECT_FALSE(worker.pod_anti.has_value());
  ASSERT_THAT(worker.pod->required, SizeIs(1));
  EXPECT_THAT(worker.pod->required[0].label_selector->match_expressions, SizeIs(2));
}

TEST(LeaderWorkerSet, PodsAreInSubGroups) {
  const auto index_of = [](const Expansion& expansion, std::string_view name) {
    const kube::StringMap& labels = pod(expansion, name).metadata.labels;
    const auto found = labels.find("leaderworkerset.sigs.k8s.io/subgroup-index");
    return found == labels.end() ? std::string("none") : found->second;
  };
  const auto even = expand(two_groups(", subGroupPolicy: {subGroupSize: 2}"), kNow, kSeed);
  EXPECT_EQ(index_of(even, "llm-0"), "0");
  EXPECT_EQ(index_of(even, "llm-0-1"), "0") << "two workers fill a sub-group, and the leader is one more";
  EXPECT_EQ(index_of(even, "llm-0-2"), "0");
  const auto without =
      expand(two_groups(", subGroupPolicy: {subGroupSize: 1, subGroupPolicyType: LeaderExcluded}"), kNow, kSeed);
  EXPECT_EQ(index_of(without, "llm-0"), "none");
  EXPECT_EQ(index_of(without, "llm-0-2"), "1");
}

TEST(LeaderWorkerSet, PodsThatAreThereAreNotMadeAgain) {
  kube::Objects objects = two_groups();
  auto leaders = testing::workload<kube::StatefulSet>("llm");
  leaders.metadata.owner_references = {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llm", "", true}};
  leaders.replicas = 2;
  auto workers = testing::workload<kube::StatefulSet>("llm-0");
  workers.metadata.owner_references = {{"v1", "Pod", "llm-0", "", true}};
  objects.of<kube::StatefulSet>() = {leaders, workers};
  objects.of<kube::Pod>().push_back(testing::owned_pod("llm-0", "StatefulSet", "llm"));
  objects.of<kube::Pod>().push_back(testing::owned_pod("llm-0-1", "StatefulSet", "llm-0"));
  EXPECT_THAT(testing::names(expand(objects, kNow, kSeed)), ElementsAre("llm-0-2", "llm-1", "llm-1-1", "llm-1-2"));
  const Owners owners(objects);
  EXPECT_EQ(owners.owner_of(objects.of<kube::Pod>().back()).to_string(), "LeaderWorkerSet default/llm");
}

TEST(LeaderWorkerSet, PodSetsAreLeadersAndWorkers) {
  const kube::Objects objects = two_groups();
  const PodSets sets = pod_sets(objects.of<kube::LeaderWorkerSet>().front());
  ASSERT_THAT(sets, SizeIs(2));
  EXPECT_EQ(sets[0].count, 2);
  EXPECT_EQ(sets[1].count, 4);
  EXPECT_EQ(sets[0].path, "spec.leaderWorkerTemplate.workerTemplate");
}

}  // namespace
}  // namespace loadline::workloads
