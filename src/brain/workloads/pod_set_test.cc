#include "brain/workloads/pod_set.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "brain/workloads/kinds.h"
#include "brain/workloads/testing/objects.h"

namespace loadline::workloads {
namespace {

using testing::workload;

TEST(PodSet, IsTheTemplateOfEachKindAndItsPath) {
  int kinds = 0;
  const auto check = [&]<class Kind>() {
    const auto object = workload<Kind>("x");
    const PodSets sets = pod_sets(object);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].pod_template, &template_in(object));
    const bool is_cron_job = kube::kind_of<Kind>().kind == "CronJob";
    EXPECT_EQ(sets[0].path, is_cron_job ? "spec.jobTemplate.spec.template" : "spec.template");
    EXPECT_EQ(sets[0].count, sets[0].is_per_node ? 0 : 1);
    ++kinds;
  };
  for_each_kind([&]<class Kind>() {
    if constexpr (std::is_same_v<Kind, kube::PodClique>) return;  // has no template, but the parts of one
    if constexpr (HasOneTemplate<Kind>) check.template operator()<Kind>();
  });
  EXPECT_EQ(kinds, 7);
}

TEST(PodSet, OfACliqueIsItsPodSpecAndItsOwnLabels) {
  auto clique = workload<kube::PodClique>("x");
  clique.spec.replicas = 3;
  const PodSets sets = pod_sets(clique);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].path + std::string(sets[0].spec_field), "spec.podSpec");
  EXPECT_EQ(sets[0].count, 3);
}

TEST(PodSet, OfAJobIsNoLargerThanItsCompletionsAndItsParallelism) {
  auto job = workload<kube::Job>("train");
  job.spec.parallelism = 4;
  EXPECT_EQ(pod_sets(job)[0].count, 4);
  job.spec.completions = 3;
  EXPECT_EQ(pod_sets(job)[0].count, 3);
  EXPECT_FALSE(is_suspended(job));
  job.spec.suspend = true;
  EXPECT_EQ(pod_sets(job)[0].count, 3) << "what it will ask for";
  EXPECT_TRUE(is_suspended(job));
}

}  // namespace
}  // namespace loadline::workloads
