#include "hosts/replay/summary.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"
#include "hosts/replay/typical_pods.h"

namespace loadline::replay {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

TEST(Distribution, TakesPercentilesByNearestRank) {
  std::vector<double> values = {40, 10, 30, 20};
  const Distribution distribution = distribution_of(values);
  EXPECT_EQ(distribution.count, 4U);
  EXPECT_DOUBLE_EQ(distribution.mean, 25);
  EXPECT_DOUBLE_EQ(distribution.p50, 20);
  EXPECT_DOUBLE_EQ(distribution.p90, 40);
  EXPECT_DOUBLE_EQ(distribution.max, 40);
  std::vector<double> none;
  EXPECT_EQ(distribution_of(none).count, 0U);
}

/// Two nodes with 4 GPUs each; on one of them 3 GPUs and all but one CPU are taken.
struct TypicalPodsTest : ::testing::Test {
  TypicalPodsTest() {
    cluster.add_node(node("empty").allocatable("nvidia.com/gpu", "4"));
    const cluster::NodeId used = cluster.add_node(node("used").allocatable("nvidia.com/gpu", "4"));
    cluster.place(cluster.add_pod(pod("p").request("cpu", "3").request("nvidia.com/gpu", "3")), used);
  }
  const cluster::PodShape& shape(const std::string& cpu, const std::string& gpus) {
    const auto id = cluster.add_pod(pod("q" + cpu + gpus).request("cpu", cpu).request("nvidia.com/gpu", gpus));
    return cluster.shape_of(id);
  }
  cluster::Cluster cluster;
};

TEST_F(TypicalPodsTest, FreeGpusAreOfNoUseToPodsThatLackRoomThere) {
  const GpuCount gpus(cluster);
  TypicalPods typical(gpus);
  typical.arrived(shape("1", "1"), 1);  // fits on both
  EXPECT_DOUBLE_EQ(typical.fragmented(cluster), 0);
  typical.arrived(shape("1", "2"), 1);  // one GPU is free on the used node: half of the pods cannot have it
  EXPECT_DOUBLE_EQ(typical.fragmented(cluster), 500);
  typical.arrived(shape("2", "1"), 2);  // nor can these, for want of a CPU
  EXPECT_DOUBLE_EQ(typical.fragmented(cluster), 750);
}

TEST_F(TypicalPodsTest, PodsWithoutGpusHaveNoUseForAny) {
  const GpuCount gpus(cluster);
  TypicalPods typical(gpus);
  typical.arrived(cluster.shape_of(cluster.add_pod(pod("c").request("cpu", "1"))), 1);
  EXPECT_DOUBLE_EQ(typical.fragmented(cluster), 5000);
}

TEST_F(TypicalPodsTest, RarePodsAreNotTypical) {
  const GpuCount gpus(cluster);
  TypicalPods typical(gpus);
  typical.arrived(shape("1", "1"), 96);
  typical.arrived(shape("1", "4"), 4);
  EXPECT_DOUBLE_EQ(typical.fragmented(cluster), 0);
}

}  // namespace
}  // namespace loadline::replay
