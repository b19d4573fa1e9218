#include "brain/workloads/job_gang.h"

#include <gtest/gtest.h>

#include <functional>

#include "brain/workloads/expansion.h"
#include "brain/workloads/testing/objects.h"

namespace loadline::workloads {
namespace {

using testing::kNow;
using testing::kSeed;
using testing::owned_pod;
using testing::workload;
using Next = JobGang::Next;

constexpr std::string_view kUid = "3f0c1111-2222-4333-8444-555566667777";

kube::Job gang_job(std::int32_t count = 4) {
  auto job = workload<kube::Job>("train");
  job.metadata.uid = kUid;
  job.spec.parallelism = count;
  job.spec.completions = count;
  job.spec.indexed = true;
  return job;
}

/// A Job with its Workload and its PodGroup.
struct Gang {
  kube::Job job = gang_job();
  kube::Workload workload = workload_of(job, kUid);
  kube::PodGroup group = group_of(job, kUid, workload);

  [[nodiscard]] JobGang state(bool has_pods = false) const {
    GangIndex index;
    index.add(workload);
    index.add(group);
    return gang_of(job, has_pods, index);
  }
};

// The hashes are what Kubernetes 1.36.3 made of the same names and uid (computeWorkloadName, computePodGroupName).
TEST(JobGang, NamesItsObjectsAsKubernetesDoes) {
  const kube::Job job = gang_job();
  kube::Workload workload = workload_of(job, kUid);
  EXPECT_EQ(workload.metadata.name, "train-7659f5766d");
  EXPECT_EQ(workload.controller.api_group, "batch");
  EXPECT_EQ(workload.controller.name, "train");
  ASSERT_EQ(workload.templates.size(), 1U);
  EXPECT_EQ(workload.templates[0].name, "train-pgt-0");
  EXPECT_EQ(workload.templates[0].policy.min_count, 4);
  workload.metadata.name = "train-abc";
  const kube::PodGroup group = group_of(job, kUid, workload);
  EXPECT_EQ(group.metadata.name, "train-abc-train-pgt-0-66cc9f69d5");
  EXPECT_EQ(group.made_of.workload, "train-abc");
  EXPECT_EQ(group.made_of.template_, "train-pgt-0");
  EXPECT_EQ(group.policy.min_count, 4);
  EXPECT_EQ(group.metadata.controller()->uid, kUid);
}

TEST(JobGang, CutsNamesThatAreTooLong) {
  kube::Job job = gang_job();
  job.metadata.name = std::string(61, 'j');
  EXPECT_EQ(workload_of(job, kUid).templates[0].name, std::string(57, 'j') + "-pgt-0");
  job.metadata.name = std::string(253, 'j');
  EXPECT_EQ(workload_of(job, kUid).metadata.name, std::string(242, 'j') + "-7659f5766d");

  const auto name_of_group = [&](std::size_t workload_size, std::size_t template_size) {
    kube::Workload workload;
    workload.metadata.name = std::string(workload_size, 'w');
    workload.templates.push_back({std::string(template_size, 't'), {2}});
    std::string name = group_of(job, kUid, workload).metadata.name;
    return std::pair{std::ranges::count(name, 'w'), std::ranges::count(name, 't')};
  };
  // 253 characters less two dashes and ten of the hash leave 241, or one more if the hash is shorter.
  const auto short_workload = name_of_group(20, 253);
  EXPECT_EQ(short_workload.first, 20);
  EXPECT_GE(short_workload.second, 221);
  const auto short_template = name_of_group(253, 20);
  EXPECT_GE(short_template.first, 221);
  EXPECT_EQ(short_template.second, 20);
  const auto both = name_of_group(253, 253);
  EXPECT_LE(both.first - both.second, 1);
  EXPECT_GE(both.first + both.second, 241);
}

TEST(JobGang, IsForIndexedJobsThatStartWhole) {
  struct Case {
    const char* what;
    std::function<void(kube::Job&)> change;
    Next next;
  };
  const std::vector<Case> cases = {
      {"as it is", [](kube::Job&) {}, Next::kMakeWorkload},
      {"one pod", [](kube::Job& job) { job.spec.parallelism = job.spec.completions = 1; }, Next::kNothing},
      {"not indexed", [](kube::Job& job) { job.spec.indexed = false; }, Next::kNothing},
      {"more completions", [](kube::Job& job) { job.spec.completions = 5; }, Next::kNothing},
      {"no completions", [](kube::Job& job) { job.spec.completions.reset(); }, Next::kNothing},
      {"a group of its own",
       [](kube::Job& job) {
         auto spec = std::make_shared<kube::PodSpec>(*job.spec.template_.spec);
         spec->pod_group_name = "mine";
         job.spec.template_.spec = spec;
       },
       Next::kNothing},
      {"started", [](kube::Job& job) { job.status.start_time = kNow; }, Next::kNothing},
      {"one has failed", [](kube::Job& job) { job.status.failed = 1; }, Next::kNothing},
      {"one has succeeded", [](kube::Job& job) { job.status.succeeded = 1; }, Next::kNothing},
      {"was suspended", [](kube::Job& job) { job.status.conditions.emplace_back().type = "Suspended"; },
       Next::kNothing},
      {"is suspended, and was never looked at", [](kube::Job& job) { job.spec.suspend = true; }, Next::kMakeWorkload},
  };
  for (const Case& item : cases) {
    kube::Job job = gang_job();
    item.change(job);
    EXPECT_EQ(gang_of(job, false, GangIndex()).next, item.next) << item.what;
  }
  EXPECT_EQ(gang_of(gang_job(), true, GangIndex()).next, Next::kNothing);  // it has pods
}

TEST(JobGang, ComesOneObjectAfterTheOther) {
  const Gang gang;
  GangIndex index;
  index.add(gang.workload);
  const JobGang half = gang_of(gang.job, false, index);
  EXPECT_EQ(half.next, Next::kMakeGroup);
  EXPECT_EQ(half.workload, &gang.workload);
  EXPECT_EQ(gang.state().next, Next::kJoinGroup);
  EXPECT_EQ(gang.state(true).group->metadata.name, gang.group.metadata.name);  // replaced pods join, too
}

TEST(JobGang, LeavesAloneWhatOthersMade) {
  const auto next = [](const std::function<void(Gang&)>& change) {
    Gang gang;
    change(gang);
    return gang.state().next;
  };
  const auto not_ours = [](kube::ObjectMeta& metadata) { metadata.owner_references.clear(); };
  EXPECT_EQ(next([&](Gang& gang) { not_ours(gang.workload.metadata); }), Next::kNothing);
  EXPECT_EQ(next([&](Gang& gang) { not_ours(gang.group.metadata); }), Next::kNothing);
  EXPECT_EQ(next([](Gang& gang) { gang.workload.templates.push_back({"other", {1}}); }), Next::kNothing);

  Gang gang;
  GangIndex index;
  index.add(gang.workload);
  index.add(gang.group);
  kube::Workload second = gang.workload;
  second.metadata.name = "second";
  index.add(second);
  EXPECT_EQ(gang_of(gang.job, false, index).next, Next::kNothing);
  index.remove(second);
  EXPECT_EQ(gang_of(gang.job, false, index).next, Next::kJoinGroup);
  kube::PodGroup other = gang.group;
  other.metadata.name = "other";
  index.add(other);
  EXPECT_EQ(gang_of(gang.job, false, index).next, Next::kNothing);
}

TEST(JobGang, IsPlannedOnlyWithTheGate) {
  kube::Objects objects;
  objects.of<kube::Job>() = {gang_job(3)};
  EXPECT_TRUE(expand(objects, kNow, kSeed).made.of<kube::PodGroup>().empty());
  const Expansion expansion = expand(objects, kNow, kSeed, {.workload_with_job = true});
  ASSERT_EQ(expansion.made.of<kube::Workload>().size(), 1U);
  ASSERT_EQ(expansion.made.of<kube::PodGroup>().size(), 1U);
  ASSERT_EQ(expansion.pods.size(), 3U);
  for (const CreatedPod& created : expansion.pods) {
    EXPECT_EQ(created.pod.spec->pod_group_name, expansion.made.of<kube::PodGroup>()[0].metadata.name);
    EXPECT_EQ(created.pod.spec, expansion.pods[0].pod.spec);  // one spec for all
  }
}

TEST(JobGang, OfAClusterIsJoined) {
  Gang gang;
  kube::Objects objects;
  objects.of<kube::Job>() = {gang.job};
  objects.of<kube::Workload>() = {gang.workload};
  objects.of<kube::PodGroup>() = {gang.group};
  objects.of<kube::Pod>() = {owned_pod("train-0-abcde", "Job", "train")};
  const Expansion expansion = expand(objects, kNow, kSeed, {.workload_with_job = true});
  EXPECT_TRUE(expansion.made.of<kube::PodGroup>().empty());
  ASSERT_FALSE(expansion.pods.empty());
  EXPECT_EQ(expansion.pods[0].pod.spec->pod_group_name, gang.group.metadata.name);
}

}  // namespace
}  // namespace loadline::workloads
