#include "brain/placement/plugins/node_ports.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

using NodePortsTest = testing::PlacementFixture;

TEST_F(NodePortsTest, ATakenHostPortKeepsTheNextPodOut) {
  const auto busy = add(node("busy"));
  const auto idle = add(node("idle"));
  const auto holder = add(pod("holder").host_port(80).host_port(443, kube::Protocol::kTcp, "10.0.0.1"), busy);
  const NodePorts plugin;
  const char* taken = "node(s) didn't have free ports for the requested pod ports";
  EXPECT_EQ(judge(plugin, pod("p"), busy), "skipped");
  EXPECT_EQ(judge(plugin, pod("p").host_port(80), busy), taken);
  EXPECT_EQ(judge(plugin, pod("p").host_port(80), idle), "passes");
  EXPECT_EQ(judge(plugin, pod("p").host_port(81), busy), "passes");
  EXPECT_EQ(judge(plugin, pod("p").host_port(80, kube::Protocol::kUdp), busy), "passes");
  EXPECT_EQ(judge(plugin, pod("p").host_port(80, kube::Protocol::kTcp, "10.0.0.1"), busy), taken);
  EXPECT_EQ(judge(plugin, pod("p").host_port(443), busy), taken);
  EXPECT_EQ(judge(plugin, pod("p").host_port(443, kube::Protocol::kTcp, "10.0.0.2"), busy), "passes");
  cluster_.unplace(holder);
  EXPECT_EQ(judge(plugin, pod("p").host_port(80), busy), "passes");
}

}  // namespace
}  // namespace loadline::placement
