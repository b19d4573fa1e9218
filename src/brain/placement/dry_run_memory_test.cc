#include "brain/placement/dry_run_memory.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::placement {
namespace {

TEST(DryRunMemoryTest, HoldsNoMoreThanThereIsHoweverOftenItChanges) {
  constexpr std::size_t kSome = 10'000;
  cluster::Cluster cluster;
  const cluster::NodeId node = cluster.add_node(cluster::testing::node("n"));
  const cluster::PodId victim = cluster.add_pod(cluster::testing::PodBuilder("victim"), node);
  DryRunMemory memory;
  for (int i = 0; i < 1000; ++i) {
    cluster.set_terminating(victim, i % 2 == 0);
    memory.catch_up(cluster);
    std::size_t tried = 0;
    const auto try_node = [&](cluster::NodeId changed) {
      ++tried;
      return DryRun{Candidate{changed, {victim}, 0}, {}};
    };
    memory.try_unknown(try_node, cluster);
    ASSERT_EQ(tried, 1U);
    ASSERT_NE(memory.best(), nullptr);
    EXPECT_EQ(memory.best()->node, node);
  }
  EXPECT_LT(memory.bytes(), kSome);
}

}  // namespace
}  // namespace loadline::placement
