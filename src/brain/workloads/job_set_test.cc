#include "brain/workloads/job_set.h"

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
using ::testing::MatchesRegex;
using ::testing::SizeIs;

constexpr std::string_view kJobs = R"(
  replicatedJobs:
  - name: driver
    template:
      spec: {template: {spec: {containers: [{name: c, image: d}]}}}
  - name: w
    replicas: 2
    dependsOn: [{name: driver, status: Ready}]
    template:
      spec:
        parallelism: 2
        completions: 2
        template:
          metadata: {labels: {team: ml}}
          spec: {containers: [{name: c, image: w, volumeMounts: [{name: data, mountPath: /d}]}]}
)";

/// A JobSet "train"; `spec` are lines under its spec, `metadata` words in its metadata.
kube::Objects train(const std::string& spec = "", const std::string& metadata = "") {
  kube::Decoding decoding = kube::decode_text(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: train, namespace: default" + metadata +
      "}\nspec:" + std::string(kJobs) + spec);
  for (const Diagnostic& each : decoding.diagnostics) {
    EXPECT_THAT(each.message, HasSubstr("checked by the definition of")) << each.path;
  }
  return std::move(decoding.objects);
}

TEST(JobSet, HasThePodsOfItsJobs) {
  const Expansion expansion = expand(train(), kNow, kSeed);
  EXPECT_THAT(testing::names(expansion),
              ElementsAre(MatchesRegex("train-driver-0-0-[a-z0-9]{5}"), MatchesRegex("train-w-0-0-[a-z0-9]{5}"),
                          MatchesRegex("train-w-0-1-[a-z0-9]{5}"), MatchesRegex("train-w-1-0-[a-z0-9]{5}"),
                          MatchesRegex("train-w-1-1-[a-z0-9]{5}")))
      << "Jobs are indexed unless they say otherwise";
  const CreatedPod& last = expansion.pods.back();
  EXPECT_EQ(last.workload.to_string(), "JobSet default/train");
  EXPECT_EQ(role_of(last.workload, last.pod.metadata), "w");
  EXPECT_EQ(last.pod.metadata.controller()->kind, "Job");
  EXPECT_EQ(last.pod.metadata.controller()->name, "train-w-1");
}

TEST(JobSet, JobsAndPodsAreToldByLabels) {
  const Expansion expansion = expand(train("  coordinator: {replicatedJob: driver}\n"), kNow, kSeed);
  const kube::StringMap& labels = expansion.pods.back().pod.metadata.labels;
  EXPECT_EQ(labels.at("team"), "ml");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/jobset-name"), "train");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/replicatedjob-replicas"), "2");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/global-replicas"), "3");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/job-index"), "1");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/job-global-index"), "2");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/job-group-index"), "2");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/group-name"), "default");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/restart-attempt"), "0");
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/job-key"), sha1_hex("default/train-w-1"));
  EXPECT_EQ(labels.at("jobset.sigs.k8s.io/coordinator"), "train-driver-0-0.train");
  EXPECT_EQ(expansion.pods.back().pod.metadata.annotations.at("jobset.sigs.k8s.io/job-index"), "1");
}

TEST(JobSet, ItsServiceSelectsItsPods) {
  const Expansion expansion = expand(train(), kNow, kSeed);
  const auto& services = expansion.made.of<kube::Service>();
  ASSERT_THAT(services, SizeIs(1));
  EXPECT_EQ(services[0].metadata.name, "train");
  EXPECT_EQ(services[0].selector, (kube::StringMap{{"jobset.sigs.k8s.io/jobset-name", "train"}}));
  const auto without = expand(train("  network: {enableDNSHostnames: false}\n"), kNow, kSeed);
  EXPECT_THAT(without.made.of<kube::Service>(), IsEmpty());
}

TEST(JobSet, AJobMayHaveADomainToItself) {
  const auto expansion =
      expand(train("", ", annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}"), kNow, kSeed);
  const kube::Affinity& leader = *expansion.pods.at(1).pod.spec->affinity;
  ASSERT_THAT(leader.pod_anti->required, SizeIs(1));
  EXPECT_EQ(leader.pod_anti->required[0].topology_key, "rack");
  EXPECT_THAT(leader.pod_anti->required[0].label_selector->match_expressions, SizeIs(3));
  EXPECT_EQ(expansion.pods.at(1).pod.metadata.labels.at("jobset.sigs.k8s.io/priority"), "0");
  const kube::Affinity& follower = *expansion.pods.at(2).pod.spec->affinity;
  EXPECT_FALSE(follower.pod_anti.has_value());
  EXPECT_EQ(follower.pod->required.at(0).label_selector->match_expressions.at(1).values, std::vector<std::string>{"0"});
}

TEST(JobSet, NodesMayBeToldByTheNamesOfJobs) {
  const auto expansion = expand(train("",
                                      ", annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack, "
                                      "alpha.jobset.sigs.k8s.io/node-selector: 'true'}"),
                                kNow, kSeed);
  const kube::PodSpec& spec = *expansion.pods.back().pod.spec;
  EXPECT_EQ(spec.node_selector.at("alpha.jobset.sigs.k8s.io/namespaced-job"), "default_train-w-1");
  ASSERT_THAT(spec.tolerations, SizeIs(1));
  EXPECT_FALSE(spec.affinity.has_value());
}

TEST(JobSet, ClaimsAreSharedByThePodsThatMountThem) {
  const auto expansion =
      expand(train("  volumeClaimPolicies:\n  - templates:\n    - metadata: {name: data}\n      spec: {accessModes: "
                   "[ReadWriteMany], resources: {requests: {storage: 1Gi}}}\n"),
             kNow, kSeed);
  ASSERT_THAT(expansion.claims, SizeIs(1));
  EXPECT_EQ(expansion.claims[0].metadata.name, "data-train");
  EXPECT_THAT(expansion.pods.front().pod.spec->volumes, IsEmpty());
  ASSERT_THAT(expansion.pods.back().pod.spec->volumes, SizeIs(1));
  EXPECT_EQ(expansion.pods.back().pod.spec->volumes[0].persistent_volume_claim->claim_name, "data-train");
}

TEST(JobSet, HasNoPodsWhileItIsSuspendedOverOrAnothersBusiness) {
  const auto notes = [](const kube::Objects& objects) {
    const Expansion expansion = expand(objects, kNow, kSeed);
    EXPECT_THAT(expansion.pods, IsEmpty());
    return expansion.notes.empty() ? std::string() : expansion.notes.front().message;
  };
  EXPECT_EQ(notes(train("  suspend: true\n")), "is suspended");
  EXPECT_EQ(notes(train("  managedBy: kueue.x-k8s.io/multikueue\n")), "is left to kueue.x-k8s.io/multikueue");
  kube::Objects over = train();
  kube::MetaCondition& end = over.of<kube::JobSet>().front().status.conditions.emplace_back();
  end.type = "Completed";
  end.status = "True";
  EXPECT_EQ(notes(over), "");
}

TEST(JobSet, JobsThatAreThereHaveTheirOwnTurn) {
  kube::Objects objects = train();
  auto job = testing::workload<kube::Job>("train-w-0");
  job.metadata.owner_references = {{"jobset.x-k8s.io/v1alpha2", "JobSet", "train", "", true}};
  job.spec.parallelism = 1;
  job.spec.completions = 1;
  objects.of<kube::Job>().push_back(job);
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_THAT(expansion.pods, SizeIs(4));
  for (const CreatedPod& each : expansion.pods) EXPECT_EQ(each.workload.to_string(), "JobSet default/train");
}

TEST(JobSet, PodsOfJobsThatWereNotReadAreKnown) {
  kube::Objects objects = train();
  objects.of<kube::Pod>().push_back(testing::owned_pod("train-driver-0-0-abcde", "Job", "train-driver-0"));
  objects.of<kube::Pod>().back().metadata.annotations = {{"batch.kubernetes.io/job-completion-index", "0"}};
  EXPECT_EQ(Owners(objects).owner_of(objects.of<kube::Pod>().back()).to_string(), "JobSet default/train");
  EXPECT_THAT(expand(objects, kNow, kSeed).pods, SizeIs(4));
}

TEST(JobSet, PodSetsAreItsReplicatedJobs) {
  const kube::Objects objects = train();
  const PodSets sets = pod_sets(objects.of<kube::JobSet>().front());
  ASSERT_THAT(sets, SizeIs(2));
  EXPECT_EQ(sets[1].role, "w");
  EXPECT_EQ(sets[1].count, 4);
  EXPECT_EQ(sets[1].path, "spec.replicatedJobs[1].template.spec.template");
}

}  // namespace
}  // namespace loadline::workloads
