#include "brain/workloads/job.h"

#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {
namespace {

using testing::kNow;
using testing::kSeed;
using testing::owned_pod;
using testing::workload;

kube::Job job(std::optional<std::int32_t> parallelism, std::optional<std::int32_t> completions,
              std::int32_t succeeded = 0) {
  auto result = workload<kube::Job>("train");
  result.spec.parallelism = parallelism;
  result.spec.completions = completions;
  result.status.succeeded = succeeded;
  return result;
}

Expansion expand_one(const kube::Job& item, std::vector<kube::Pod> pods = {}) {
  kube::Objects objects;
  objects.of<kube::Job>() = {item};
  objects.of<kube::Pod>() = std::move(pods);
  return expand(objects, kNow, kSeed);
}

kube::Pod indexed_pod(std::string name, std::string index, kube::PodPhase phase) {
  kube::Pod pod = owned_pod(std::move(name), "Job", "train");
  pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] = std::move(index);
  pod.status.phase = phase;
  return pod;
}

std::vector<std::string> indexes(const Expansion& expansion) {
  std::vector<std::string> result;
  for (const CreatedPod& created : expansion.pods) {
    result.push_back(created.pod.metadata.labels.at("batch.kubernetes.io/job-completion-index"));
  }
  return result;
}

TEST(Job, RunsAsManyPodsAsParallelismAndCompletionsAllow) {
  struct Case {
    std::optional<std::int32_t> parallelism, completions;
    std::int32_t succeeded;
    std::size_t active, expected;
  };
  const std::vector<Case> cases = {
      {1, 1, 0, 0, 1},  {4, 10, 0, 0, 4}, {4, 10, 8, 0, 2}, {4, 10, 8, 1, 1}, {4, 10, 10, 0, 0},
      {4, 10, 0, 4, 0}, {0, 10, 0, 0, 0}, {3, {}, 0, 1, 2}, {3, {}, 1, 1, 0}, {4, 2, 0, 0, 2},
  };
  for (const Case& item : cases) {
    std::vector<kube::Pod> pods;
    for (std::size_t i = 0; i < item.active; ++i) pods.push_back(owned_pod(std::to_string(i), "Job", "train"));
    EXPECT_EQ(expand_one(job(item.parallelism, item.completions, item.succeeded), pods).pods.size(), item.expected);
  }
}

TEST(Job, LabelsItsPods) {
  const Expansion expansion = expand_one(job(1, 1));
  const auto& metadata = expansion.pods.at(0).pod.metadata;
  EXPECT_EQ(metadata.labels.at("job-name"), "train");
  EXPECT_EQ(metadata.labels.at("batch.kubernetes.io/job-name"), "train");
  EXPECT_EQ(metadata.labels.at("batch.kubernetes.io/controller-uid"), metadata.controller()->uid);
  EXPECT_EQ(metadata.generate_name, "train-");
  EXPECT_EQ(metadata.finalizers, std::vector<std::string>{"batch.kubernetes.io/job-tracking"});
}

TEST(Job, IndexedFillsTheFirstMissingIndexes) {
  kube::Job indexed = job(4, 8, 3);
  indexed.spec.indexed = true;
  indexed.status.completed_indexes = "0,2-3";
  const Expansion expansion = expand_one(
      indexed, {indexed_pod("a", "4", kube::PodPhase::kRunning), indexed_pod("b", "5", kube::PodPhase::kSucceeded),
                indexed_pod("c", "1", kube::PodPhase::kFailed)});
  EXPECT_EQ(indexes(expansion), (std::vector<std::string>{"1", "6", "7"}));
  EXPECT_EQ(expansion.pods[0].pod.metadata.generate_name, "train-1-");
}

TEST(Job, IndexedMakesNoMorePodsOfIndexesThatHaveFailedForGood) {
  kube::Job indexed = job(3, 3);
  indexed.spec.indexed = true;
  indexed.spec.backoff_limit_per_index = 1;
  indexed.status.failed_indexes = "1";
  EXPECT_EQ(indexes(expand_one(indexed)), (std::vector<std::string>{"0", "2"}));
}

TEST(Job, IndexedPassesOverWhatIsNoIndexInItsStatus) {
  kube::Job indexed = job(3, 3);
  indexed.spec.indexed = true;
  indexed.status.completed_indexes = "0,x,2";
  EXPECT_EQ(indexes(expand_one(indexed)), std::vector<std::string>{"1"});
}

TEST(Job, IndexedCutsItsNameSoThatTheIndexRemains) {
  kube::Job indexed = job(1, 1);
  indexed.metadata.name = std::string(60, 'x');
  indexed.spec.indexed = true;
  const Expansion expansion = expand_one(indexed);
  const auto& metadata = expansion.pods.at(0).pod.metadata;
  EXPECT_EQ(metadata.generate_name, std::string(55, 'x') + "-0-");
  EXPECT_EQ(metadata.name.size(), 63U);
}

TEST(Job, ThatIsOverOrSuspendedCreatesNothing) {
  kube::Job over = job(1, 1);
  over.status.conditions = {{"Complete", "True", {}, {}, "", ""}};
  EXPECT_TRUE(expand_one(over).pods.empty());
  EXPECT_TRUE(expand_one(over).notes.empty());
  kube::Job suspended = job(1, 1);
  suspended.spec.suspend = true;
  EXPECT_TRUE(expand_one(suspended).pods.empty());
  EXPECT_EQ(expand_one(suspended).notes.at(0).message, "is suspended");
}

}  // namespace
}  // namespace loadline::workloads
