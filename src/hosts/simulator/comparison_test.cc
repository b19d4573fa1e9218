#include "hosts/simulator/comparison.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/quota.h"

namespace loadline::simulator {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

/// Two nodes, and a Job of one pod that a quota allows just once.
kube::Objects one_job() {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a"), node("b")};
  kube::Job job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "default";
  job.spec.parallelism = 1;
  job.spec.completions = 1;
  const kube::Pod built = pod("").request("cpu", "1");
  job.spec.template_ = {built.metadata, built.spec};
  objects.of<kube::Job>() = {job};
  kube::ResourceQuota quota;
  quota.metadata.name = "one";
  quota.metadata.namespace_ = "default";
  quota.hard["pods"] = quantity("1");
  objects.of<kube::ResourceQuota>() = {quota};
  return objects;
}

Comparison compared(const kube::Objects& objects, const Change& change) {
  auto result = compare(objects, {}, change, {});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *std::move(result) : Comparison{};
}

TEST(Comparison, AnEvictedPodLeavesItsQuotaToItsReplacement) {
  const kube::Objects objects = one_job();
  const std::string home = compared(objects, {}).before.pods.at(0).node;
  Change change;
  change.drained = {home};
  const Comparison result = compared(objects, change);
  ASSERT_EQ(result.difference.pods.size(), 1U);
  EXPECT_EQ(result.difference.pods[0].change, PodChange::kMoved);
  EXPECT_FALSE(got_worse(result.difference, result.before, result.after, result.change));
}

TEST(Comparison, APodOnARemovedNodeLeavesItsQuotaToItsReplacement) {
  const kube::Objects objects = one_job();
  Change change;
  change.removed_nodes = {compared(objects, {}).before.pods.at(0).node};
  const Comparison result = compared(objects, change);
  ASSERT_EQ(result.difference.pods.size(), 1U);
  EXPECT_EQ(result.difference.pods[0].change, PodChange::kMoved);
}

TEST(Comparison, WhatAQuotaForbidsToTheEndIsRejectedOnce) {
  kube::Objects objects = one_job();
  Change change;
  change.drained = {compared(objects, {}).before.pods.at(0).node};
  kube::ResourceQuota none = objects.of<kube::ResourceQuota>()[0];
  none.hard["pods"] = quantity("0");
  change.added.of<kube::ResourceQuota>() = {none};
  const Comparison result = compared(objects, change);
  ASSERT_EQ(result.difference.pods.size(), 1U);
  EXPECT_EQ(result.difference.pods[0].change, PodChange::kUnplaced);
  EXPECT_EQ(result.after.pods.at(*result.difference.pods[0].after).outcome, PodOutcome::kRejected);
  EXPECT_EQ(result.after.pods.size(), 2U);
}

TEST(Comparison, SaysWhatCannotBeChanged) {
  Change change;
  change.drained = {"nowhere"};
  EXPECT_FALSE(compare(one_job(), {}, change, {}));
}

}  // namespace
}  // namespace loadline::simulator
