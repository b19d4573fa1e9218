#include "hosts/kubelet/node_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"

namespace loadline::kubelet {
namespace {

using document::Value;
using ::testing::HasSubstr;

std::string label(const Value& node, std::string_view key) {
  return std::string(document::text_at(node, {"metadata", "labels", key}));
}

NodeShape shape(std::string_view text) {
  const auto parsed = parse_node_shape(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed.value_or(NodeShape());
}

TEST(NodeShapes, GeneratesNodesAsCloudsAndGpuDiscoveryLabelThem) {
  NodeGeneration generation;
  generation.zones = 2;
  generation.shapes = {shape("2:gpu=a100:8"), shape("10:cpu=64,memory=256Gi,capacity-type=spot,label=team=ml")};
  const std::vector<Value> nodes = generate_nodes(generation);
  ASSERT_EQ(nodes.size(), 12U);
  EXPECT_EQ(document::text_at(nodes[0], {"metadata", "name"}), "gpu-a100-1");
  EXPECT_EQ(label(nodes[0], "nvidia.com/gpu.product"), "NVIDIA-A100-SXM4-40GB");
  EXPECT_EQ(label(nodes[0], "nvidia.com/gpu.count"), "8");
  EXPECT_EQ(label(nodes[0], "topology.kubernetes.io/zone"), "virtual-1a");
  EXPECT_EQ(label(nodes[1], "topology.kubernetes.io/zone"), "virtual-1b");
  EXPECT_EQ(document::text_at(nodes[0], {"status", "allocatable", "nvidia.com/gpu"}), "8");
  EXPECT_EQ(document::text_at(nodes[0], {"status", "capacity", "cpu"}), "96");
  EXPECT_EQ(document::text_at(nodes[2], {"metadata", "name"}), "node-01");
  EXPECT_EQ(document::text_at(nodes[2], {"status", "capacity", "memory"}), "256Gi");
  EXPECT_EQ(label(nodes[2], "node.kubernetes.io/instance-type"), "virtual.64x256");
  EXPECT_EQ(label(nodes[2], "karpenter.sh/capacity-type"), "spot");
  EXPECT_EQ(label(nodes[2], "team"), "ml");
  EXPECT_EQ(document::text_at(nodes[11], {"spec", "podCIDR"}), "10.0.11.0/24");
  EXPECT_EQ(document::find_at(nodes[11], {"status", "conditions"})->array().size(), 4U);
  EXPECT_FALSE(document::text_at(nodes[11], {"status", "nodeInfo", "kubeletVersion"}).empty());
}

TEST(NodeShapes, AdvertisesNoGpusWithoutAPluginIfToldSo) {
  NodeGeneration generation;
  generation.shapes = {shape("1:gpu=h100:4,device-plugin=required")};
  const Value node = generate_nodes(generation).at(0);
  EXPECT_EQ(document::find_at(node, {"status", "allocatable", "nvidia.com/gpu"}), nullptr);
  EXPECT_EQ(document::text_at(node, {"metadata", "annotations", "loadline.dev/gpus"}), "4");
}

TEST(NodeShapes, SaysWhatIsWrong) {
  const auto complaint = [](std::string_view text) {
    const auto parsed = parse_node_shape(text);
    return parsed ? "none" : parsed.error().message;
  };
  EXPECT_EQ(complaint("many"), "\"many\": begin with a number of nodes, at most 200000");
  EXPECT_EQ(complaint("-1"), "\"-1\": begin with a number of nodes, at most 200000");
  EXPECT_THAT(complaint("3:gpu=a9000"), HasSubstr("\"a9000\" is no GPU known here: a10, a10g, a100"));
  EXPECT_THAT(complaint("3:gpu=a100:0"), HasSubstr("a node has 1 to 1024 GPUs"));
  EXPECT_EQ(complaint("3:cpu"), "\"cpu\" is not KEY=VALUE");
  EXPECT_EQ(complaint("3:cpu=fast"), "\"fast\" is no amount of cpu");
  EXPECT_THAT(complaint("3:taint=x"), HasSubstr("is no taint"));
  EXPECT_THAT(complaint("3:disk=1"), HasSubstr("\"disk\" says nothing about nodes"));
}

TEST(NodeShapes, MakesDeclaredNodesVirtual) {
  const Value declared(document::Object{
      {"kind", Value("Node"), {}},
      {"metadata", Value(document::Object{{"name", Value("mine"), {}}}), {}},
      {"status", Value(document::Object{{"capacity", Value(document::Object{{"cpu", Value("3"), {}}}), {}}}), {}}});
  const Value node = make_virtual(declared, 300, "v1.36.2", {});
  EXPECT_EQ(document::text_at(node, {"metadata", "annotations", "loadline.dev/node"}), "virtual");
  EXPECT_EQ(document::text_at(node, {"status", "allocatable", "cpu"}), "3");
  EXPECT_EQ(document::text_at(node, {"spec", "podCIDR"}), "10.1.44.0/24");
}

}  // namespace
}  // namespace loadline::kubelet
