// What a cluster has lived through must not show: in its books and in its decisions it equals one that was filled with
// what is there now.
#include "brain/placement/testing/history.h"

#include <string>
#include <vector>

#include "brain/cluster/testing/node_builder.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::pods_with;
using testing::History;
using testing::kHostname;

TEST_P(History, LeavesNoTrace) {
  for (std::uint64_t i = 3 + random_.below(12); i > 0; --i) add(random_.node("first" + std::to_string(i)));
  for (int i = 0; i < 6; ++i) templates_.push_back(random_template(i));
  for (int i = 1; i <= 150 && !HasFailure(); ++i) {
    happen();
    if (i % 10 == 0) expect_no_trace();
    if (i % 10 == 5) expect_counts_to_be_current();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, History, ::testing::Range(0, 100));

class MemoryTest : public testing::PlacementFixture {};

/// How much an image is worth on a node depends on how many others have it: a node that changes concerns those, too.
TEST_F(MemoryTest, AnImageThatSpreadsIsWorthMoreWhereItWasBefore) {
  const NodeId plain = add(cluster::testing::node("plain"));
  const NodeId with_image = add(cluster::testing::node("with-image").image("model:latest", 600 << 20));
  const auto reserved = cluster::testing::node("reserved").taint("reserved", kube::TaintEffect::kNoSchedule);
  const NodeId other = add(reserved);
  const auto load = cluster::testing::pod("load").request("cpu", "1200m").request("memory", "4800Mi");
  cluster_.place(add(load), with_image);
  const auto asking = cluster::testing::pod("asking").image("model").request("cpu", "100m").request("memory", "400Mi");
  EXPECT_EQ(decide(asking).attempt.node, plain);
  cluster_.update_node(other, cluster::testing::NodeBuilder(reserved).image("model:latest", 600 << 20));
  EXPECT_EQ(decide(asking).attempt.node, with_image);
}

/// Jobs come and go, each with a label and an anti-affinity of its own, and so do nodes.
TEST_F(MemoryTest, WhatComesAndGoesLeavesNoMemoryBehind) {
  for (int i = 0; i < 4; ++i) add(cluster::testing::node("n" + std::to_string(i)).zone(i % 2 == 0 ? "a" : "b"));
  std::vector<std::size_t> sizes;
  for (int round = 0; round < 30; ++round) {
    std::vector<PodId> running;
    for (int i = 0; i < 20; ++i) {
      const std::string job = "job-" + std::to_string(round) + '-' + std::to_string(i);
      const PodId id = add(cluster::testing::pod(job)
                               .label("job", job)
                               .request("cpu", "100m")
                               .away_from(pods_with("job", job, kHostname)));
      const Decision decision = decide(id);
      ASSERT_TRUE(decision.attempt.scheduled());
      cluster_.place(id, decision.attempt.node);
      running.push_back(id);
    }
    for (const PodId pod : running) cluster_.remove_pod(pod);
    cluster_.remove_node(add(cluster::testing::node("late" + std::to_string(round)).zone("c")));
    scheduler().reclaim();
    sizes.push_back(cluster_.pod_slots() + cluster_.shape_slots() + cluster_.counter_slots() +
                    cluster_.affinity_term_count_slots() + cluster_.node_slots());
  }
  EXPECT_EQ(cluster_.pod_count(), 0U);
  EXPECT_EQ(cluster_.shape_count(), 0U);
  EXPECT_EQ(sizes.back(), sizes[5]);
}

}  // namespace
}  // namespace loadline::placement
