#include "brain/workloads/pod_count.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "brain/workloads/expansion.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/core/node.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::workloads {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

kube::PodTemplateSpec pods() {
  kube::PodTemplateSpec pod_template;
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.resize(1);
  spec->containers[0].name = "app";
  pod_template.spec = std::move(spec);
  return pod_template;
}

// Objects of each kind whose every number is `n`, and what they are to make then.

template <class Kind>
  requires requires(Kind object) { object.replicas; } && HasOneTemplate<Kind>
std::int64_t fill(Kind& object, std::int32_t n, kube::Objects&) {
  object.replicas = n;
  object.template_ = pods();
  return n;
}

std::int64_t fill(kube::DaemonSet& object, std::int32_t, kube::Objects& objects) {
  object.template_ = pods();
  objects.of<kube::Node>().resize(3);
  for (std::size_t i = 0; i < 3; ++i) objects.of<kube::Node>()[i].metadata.name = "n" + std::to_string(i);
  return 3;
}

std::int64_t fill(kube::JobSpec& spec, std::int32_t n) {
  spec.template_ = pods();
  spec.parallelism = n;
  spec.completions = n;
  return n;
}

std::int64_t fill(kube::Job& object, std::int32_t n, kube::Objects&) { return fill(object.spec, n); }

std::int64_t fill(kube::CronJob& object, std::int32_t n, kube::Objects&) {
  object.schedule = "0 * * * *";
  return fill(object.job_spec, n);
}

std::int64_t fill(kube::JobSet& object, std::int32_t n, kube::Objects&) {
  kube::ReplicatedJob& job = object.replicated_jobs.emplace_back();
  job.name = "workers";
  job.replicas = n;
  return n * fill(job.job_spec, n);
}

std::int64_t fill(kube::LeaderWorkerSet& object, std::int32_t n, kube::Objects&) {
  object.replicas = n;
  object.size = n;
  object.worker_template = pods();
  return std::int64_t{n} * n;
}

template <kube::Framework kFramework>
std::int64_t fill(kube::TrainingJob<kFramework>& object, std::int32_t n, kube::Objects&) {
  kube::TrainingReplicas& workers = object.spec.replicas["Worker"];
  workers.replicas = n;
  workers.template_ = pods();
  return n;
}

std::int64_t fill(kube::RayClusterSpec& spec, std::int32_t n) {
  spec.head.template_ = pods();
  kube::RayWorkerGroup& group = spec.worker_groups.emplace_back();
  group.name = "gpu";
  group.replicas = n;
  group.hosts_per_replica = n;
  group.template_ = pods();
  return std::int64_t{n} * n + 1;
}

std::int64_t fill(kube::RayCluster& object, std::int32_t n, kube::Objects&) { return fill(object.spec, n); }

/// One more submits the job.
std::int64_t fill(kube::RayJob& object, std::int32_t n, kube::Objects&) {
  return fill(object.spec.cluster.emplace(), n) + 1;
}

std::int64_t fill(kube::RayCronJob& object, std::int32_t n, kube::Objects&) {
  object.spec.schedule = "0 * * * *";
  return fill(object.spec.job.cluster.emplace(), n) + 1;
}

std::int64_t fill(kube::VolcanoJob& object, std::int32_t n, kube::Objects&) {
  for (const char* name : {"ps", "worker"}) {
    kube::VolcanoTask& task = object.tasks.emplace_back();
    task.name = name;
    task.replicas = n;
    task.template_ = pods();
  }
  return 2 * std::int64_t{n};
}

std::int64_t fill(kube::PodCliqueSet& object, std::int32_t n, kube::Objects&) {
  object.replicas = n;
  kube::CliqueTemplate& clique = object.cliques.emplace_back();
  clique.name = "decode";
  clique.spec.replicas = n;
  clique.spec.template_ = pods();
  kube::CliqueScalingGroup& group = object.scaling_groups.emplace_back();
  group.name = "group";
  group.cliques = {"decode"};
  group.replicas = n;
  return n > 1000 ? kMostCounted : std::int64_t{n} * n * n;
}

/// It makes nothing without its set.
std::int64_t fill(kube::PodCliqueScalingGroup& object, std::int32_t n, kube::Objects&) {
  object.replicas = n;
  return 0;
}

std::int64_t fill(kube::PodClique& object, std::int32_t n, kube::Objects&) {
  object.spec.replicas = n;
  object.spec.template_ = pods();
  return n;
}

/// An input with one object of the kind, all of whose numbers are `n`, and how many pods that makes.
template <class Kind>
std::int64_t one_of(std::int32_t n, kube::Objects& objects) {
  Kind object;
  object.metadata.name = "one";
  object.metadata.namespace_ = "default";
  object.metadata.uid = "uid-one";
  const std::int64_t pods = fill(object, n, objects);
  objects.of<Kind>().push_back(std::move(object));
  return pods;
}

/// What is counted is what is made. A kind that is added to kinds.h does not compile here before it is counted.
TEST(PodCount, IsWhatExpansionMakes) {
  for_each_kind([&]<class Kind>() {
    for (const std::int32_t n : {0, 1, 3}) {
      SCOPED_TRACE(std::string(kind_name<Kind>()) + " of " + std::to_string(n));
      kube::Objects objects;
      const std::int64_t expected = one_of<Kind>(n, objects);
      const auto made = static_cast<std::int64_t>(expand(objects, testing::kNow, testing::kSeed).pods.size());
      EXPECT_EQ(count_pods(objects.of<Kind>().front(), objects).pods, made);
      if (n > 0) {
        EXPECT_EQ(made, expected);
      }
    }
  });
}

TEST(PodCount, ProductsEndWhereNumbersDo) {
  for_each_kind([&]<class Kind>() {
    SCOPED_TRACE(kind_name<Kind>());
    kube::Objects objects;
    one_of<Kind>(kMost, objects);
    const PodCount count = count_pods(objects.of<Kind>().front(), objects);
    EXPECT_GE(count.pods, 0);
    EXPECT_LE(count.objects, kMostCounted);
  });
  kube::Objects objects;
  one_of<kube::PodCliqueSet>(kMost, objects);
  one_of<kube::LeaderWorkerSet>(kMost, objects);
  EXPECT_EQ(pods_to_make(objects, 0).objects, kMostCounted) << "sums end there, too";
}

TEST(PodCount, JobsOfNoPodsAreObjects) {
  kube::Objects objects;
  one_of<kube::JobSet>(kMost, objects);
  objects.of<kube::JobSet>().front().replicated_jobs.front().job_spec.parallelism = 0;
  const PodCount count = count_pods(objects.of<kube::JobSet>().front(), objects);
  EXPECT_EQ(count.pods, 0);
  EXPECT_EQ(count.objects, kMost);
  EXPECT_EQ(count.field, "spec.replicatedJobs[0].replicas");
}

TEST(PodCount, WhatIsSuspendedMakesNothing) {
  kube::Objects objects;
  one_of<kube::JobSet>(5, objects);
  kube::JobSet& set = objects.of<kube::JobSet>().front();
  set.suspend = true;
  EXPECT_EQ(count_pods(set, objects).objects, 0);
  EXPECT_EQ(count_pods(set, objects, {.counts_suspended_jobs = true}).objects, 25) << "its Jobs are made all the same";
}

TEST(PodCount, TheLargestNumberIsNamed) {
  kube::Objects objects;
  one_of<kube::LeaderWorkerSet>(4, objects);
  kube::LeaderWorkerSet& set = objects.of<kube::LeaderWorkerSet>().front();
  EXPECT_EQ(count_pods(set, objects).field, "spec.replicas");
  set.size = 900;
  EXPECT_EQ(count_pods(set, objects).field, "spec.leaderWorkerTemplate.size");
}

TEST(PodCount, RunsOfASchedule) {
  kube::Objects objects;
  one_of<kube::CronJob>(4, objects);
  const PodCount count = count_pods(objects.of<kube::CronJob>().front(), objects,
                                    {.runs = [](const std::string&) { return std::int64_t{100}; }});
  EXPECT_EQ(count.pods, 400);
  EXPECT_EQ(count.field, "spec.schedule");
}

TEST(PodsToMake, PodsThatExistAreTakenOff) {
  kube::Objects objects;
  one_of<kube::StatefulSet>(10, objects);
  for (int i = 0; i < 7; ++i) {
    objects.of<kube::Pod>().push_back(testing::owned_pod("one-" + std::to_string(i), "StatefulSet", "one"));
  }
  EXPECT_EQ(pods_to_make(objects, 100).objects, 10) << "near enough";
  EXPECT_EQ(pods_to_make(objects, 5).objects, 3);
}

TEST(PodsToMake, AChildCountsOnceUnlessItAsksForMore) {
  kube::Objects objects;
  one_of<kube::JobSet>(3, objects);
  kube::Job job;
  job.metadata.name = "one-workers-0";
  job.metadata.namespace_ = "default";
  job.metadata.owner_references = {{"jobset.x-k8s.io/v1alpha2", "JobSet", "one", "uid-one", true}};
  fill(job.spec, 3);
  objects.of<kube::Job>().push_back(job);
  EXPECT_EQ(pods_to_make(objects, 0).objects, 9);
  objects.of<kube::Job>().front().spec.parallelism = 1000;
  objects.of<kube::Job>().front().spec.completions = 1000;
  EXPECT_EQ(pods_to_make(objects, 0).objects, 1009);
  ASSERT_TRUE(pods_to_make(objects, 0).largest);
  EXPECT_EQ(pods_to_make(objects, 0).largest->workload.to_string(), "Job default/one-workers-0");
}

TEST(PodsToMake, AScaledGroupCounts) {
  kube::Objects objects;
  one_of<kube::PodCliqueSet>(1, objects);
  one_of<kube::PodCliqueScalingGroup>(kMost, objects);
  kube::PodCliqueScalingGroup& group = objects.of<kube::PodCliqueScalingGroup>().front();
  group.metadata.name = "one-0-group";
  group.metadata.owner_references = {{"grove.io/v1alpha1", "PodCliqueSet", "one", "uid-one", true}};
  group.cliques = {"decode"};
  EXPECT_GE(pods_to_make(objects, 100).objects, kMost);
}

TEST(PodsToMake, ReservationsHoldRoomLikePods) {
  kube::Objects objects;
  kube::Reservation& room = objects.of<kube::Reservation>().emplace_back();
  room.metadata.name = "room";
  room.pods = 100'000;
  const PodsToMake all = pods_to_make(objects, 1000);
  EXPECT_EQ(all.objects, 100'000);
  EXPECT_EQ(all.largest->count.field, "spec.pods");
}

}  // namespace
}  // namespace loadline::workloads
