#include "hosts/kubelet/virtual_nodes.h"

#include <gtest/gtest.h>

#include "brain/capacity/node_template_text.h"
#include "foundation/document/at.h"

namespace loadline::kubelet {
namespace {

using document::Value;

std::string label(const Value& node, std::string_view key) {
  return std::string(document::text_at(node, {"metadata", "labels", key}));
}

NodeGeneration generation_of(const std::vector<std::string_view>& texts) {
  NodeGeneration generation;
  for (const std::string_view text : texts) {
    generation.templates.push_back(capacity::parse_node_template(text).value());
  }
  return generation;
}

TEST(VirtualNodes, AddWhatAKubeletAdds) {
  NodeGeneration generation = generation_of({"2:gpu=a100:8", "10:cpu=64,memory=256Gi"});
  generation.zones = 2;
  const std::vector<Value> nodes = generate_nodes(generation).value();
  ASSERT_EQ(nodes.size(), 12U);
  EXPECT_EQ(document::text_at(nodes[0], {"metadata", "name"}), "gpu-a100-1");
  EXPECT_EQ(label(nodes[0], "nvidia.com/gpu.product"), "NVIDIA-A100-SXM4-40GB");
  EXPECT_EQ(label(nodes[0], "topology.kubernetes.io/zone"), "virtual-1a");
  EXPECT_EQ(label(nodes[1], "topology.kubernetes.io/zone"), "virtual-1b");
  EXPECT_EQ(document::text_at(nodes[0], {"status", "allocatable", "nvidia.com/gpu"}), "8");
  EXPECT_EQ(document::text_at(nodes[0], {"status", "capacity", "cpu"}), "96");
  EXPECT_EQ(document::text_at(nodes[1], {"spec", "providerID"}), "loadline:///virtual-1b/gpu-a100-2");
  EXPECT_EQ(document::text_at(nodes[2], {"metadata", "name"}), "node-01");
  EXPECT_EQ(document::text_at(nodes[2], {"status", "capacity", "memory"}), "256Gi");
  EXPECT_EQ(document::text_at(nodes[11], {"spec", "podCIDR"}), "10.0.11.0/24");
  EXPECT_EQ(document::find_at(nodes[11], {"status", "conditions"})->array().size(), 4U);
  EXPECT_FALSE(document::text_at(nodes[11], {"status", "nodeInfo", "kubeletVersion"}).empty());
}

TEST(VirtualNodes, AdvertiseNoGpusWithoutAPluginIfToldSo) {
  const Value node = generate_nodes(generation_of({"1:gpu=h100:4,device-plugin=required"})).value().at(0);
  EXPECT_EQ(document::find_at(node, {"status", "allocatable", "nvidia.com/gpu"}), nullptr);
  EXPECT_EQ(document::text_at(node, {"metadata", "annotations", "loadline.dev/gpus"}), "4");
}

TEST(VirtualNodes, AreLikeANodeButForWhatBefellIt) {
  NodeGeneration generation = generation_of({"1:like=real"});
  kube::Node& real = generation.there.emplace_back();
  real.metadata.name = "real";
  real.metadata.creation_timestamp = Instant{};
  real.metadata.annotations = {{"loadline.dev/unready", "true"},
                               {"loadline.dev/interruption", "2m"},
                               {"loadline.dev/slow", "3"},
                               {"loadline.dev/gpus", "8"}};
  real.metadata.labels["pool"] = "gpu";
  real.capacity["cpu"] = kube::Quantity::of(3);
  real.taints = {{"loadline.dev/interruption", "", kube::TaintEffect::kNoSchedule, std::nullopt},
                 {"team", "ml", kube::TaintEffect::kNoSchedule, std::nullopt}};
  const Value node = generate_nodes(generation).value().at(0);
  EXPECT_EQ(document::text_at(node, {"metadata", "name"}), "real-added-1");
  EXPECT_EQ(label(node, "pool"), "gpu");
  EXPECT_EQ(document::text_at(node, {"status", "allocatable", "cpu"}), "3");
  EXPECT_EQ(document::find_at(node, {"metadata", "creationTimestamp"}), nullptr);
  EXPECT_EQ(document::find_at(node, {"metadata", "annotations", "loadline.dev/unready"}), nullptr);
  EXPECT_EQ(document::find_at(node, {"metadata", "annotations", "loadline.dev/interruption"}), nullptr);
  EXPECT_EQ(document::text_at(node, {"metadata", "annotations", "loadline.dev/slow"}), "3");
  EXPECT_EQ(document::text_at(node, {"metadata", "annotations", "loadline.dev/gpus"}), "8");
  ASSERT_EQ(document::find_at(node, {"spec", "taints"})->array().size(), 1U);
}

TEST(VirtualNodes, AreMadeOfDeclaredOnes) {
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
