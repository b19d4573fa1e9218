#include "brain/capacity/node_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "brain/capacity/instance_types.h"
#include "brain/capacity/node_template_text.h"
#include "brain/cluster/testing/node_builder.h"

namespace loadline::capacity {
namespace {

using cluster::testing::node;
using kube::TaintEffect;
using ::testing::ElementsAre;

std::vector<Zone> two_zones() { return {{"r", "r-a"}, {"r", "r-b"}}; }

std::vector<kube::Node> made(const std::vector<std::string_view>& texts, const std::vector<kube::Node>& there = {},
                             const std::vector<Zone>& zones = two_zones()) {
  std::vector<NodeTemplate> templates;
  for (const std::string_view text : texts) templates.push_back(parse_node_template(text).value());
  const auto nodes = make_nodes(templates, there, zones);
  EXPECT_TRUE(nodes) << nodes.error().message;
  return nodes.value_or(std::vector<kube::Node>());
}

std::vector<std::string> names(const std::vector<kube::Node>& nodes) {
  std::vector<std::string> names;
  for (const kube::Node& each : nodes) names.push_back(each.metadata.name);
  return names;
}

std::string label(const kube::Node& node, std::string_view key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? "none" : found->second;
}

TEST(NodeTemplate, LabelsShapesAsCloudsAndGpuDiscoveryDo) {
  const auto nodes = made({"2:gpu=a100:8", "10:cpu=64,memory=256Gi,capacity-type=spot,label=team=ml"});
  ASSERT_EQ(nodes.size(), 12U);
  EXPECT_EQ(label(nodes[0], "nvidia.com/gpu.product"), "NVIDIA-A100-SXM4-40GB");
  EXPECT_EQ(label(nodes[0], "nvidia.com/gpu.count"), "8");
  EXPECT_EQ(label(nodes[0], "kubernetes.io/hostname"), "gpu-a100-1");
  EXPECT_EQ(label(nodes[0], "topology.kubernetes.io/region"), "r");
  EXPECT_EQ(label(nodes[0], "topology.kubernetes.io/zone"), "r-a");
  EXPECT_EQ(label(nodes[1], "topology.kubernetes.io/zone"), "r-b");
  EXPECT_EQ(label(nodes[2], "topology.kubernetes.io/zone"), "r-a") << "the zones go on in turn";
  EXPECT_EQ(nodes[0].allocatable.at("nvidia.com/gpu").value(), 8);
  EXPECT_EQ(nodes[0].capacity.at("cpu").value(), 96);
  EXPECT_EQ(nodes[2].capacity.at("memory").to_string(), "256Gi");
  EXPECT_EQ(label(nodes[2], "node.kubernetes.io/instance-type"), "virtual.64x256");
  EXPECT_EQ(label(nodes[2], "karpenter.sh/capacity-type"), "spot");
  EXPECT_EQ(label(nodes[2], "team"), "ml");
  const kube::Node plain = made({"1"}).at(0);
  EXPECT_EQ(plain.allocatable.at("cpu").value(), 8);
  EXPECT_EQ(plain.allocatable.at("pods").value(), 110);
}

TEST(NodeTemplate, KnowsTheSizesOfInstanceTypes) {
  const kube::Node t4 = made({"1:instance-type=g4dn.xlarge"}).at(0);
  EXPECT_EQ(t4.metadata.name, "node-1");
  EXPECT_EQ(t4.capacity.at("cpu").value(), 4);
  EXPECT_EQ(t4.capacity.at("memory").to_string(), "16Gi");
  EXPECT_EQ(t4.allocatable.at("cpu").to_string(), "3920m");
  EXPECT_EQ(t4.allocatable.at("memory").to_string(), "14481Mi");
  EXPECT_EQ(t4.allocatable.at("pods").value(), 29);
  EXPECT_EQ(t4.allocatable.at("nvidia.com/gpu").value(), 1);
  EXPECT_EQ(label(t4, "nvidia.com/gpu.product"), "Tesla-T4");
  EXPECT_EQ(label(t4, "node.kubernetes.io/instance-type"), "g4dn.xlarge");
  EXPECT_EQ(label(made({"1:instance-type=m7g.large"}).at(0), "kubernetes.io/arch"), "arm64");
  const kube::Node neuron = made({"1:instance-type=inf2.24xlarge"}).at(0);
  EXPECT_EQ(neuron.allocatable.at("aws.amazon.com/neuron").value(), 6);
  EXPECT_FALSE(neuron.allocatable.contains("nvidia.com/gpu"));
}

TEST(NodeTemplate, TakesWhatIsSaidBeforeWhatTheInstanceTypeHas) {
  const kube::Node own = made({"1:instance-type=g4dn.xlarge,cpu=2,gpu=l4:3"}).at(0);
  EXPECT_EQ(own.allocatable.at("cpu").value(), 2);
  EXPECT_EQ(own.allocatable.at("memory").to_string(), "14481Mi");
  EXPECT_EQ(own.allocatable.at("nvidia.com/gpu").value(), 3);
  const kube::Node waiting = made({"1:instance-type=p4d.24xlarge,device-plugin=required"}).at(0);
  EXPECT_FALSE(waiting.allocatable.contains("nvidia.com/gpu"));
  EXPECT_EQ(label(waiting, "nvidia.com/gpu.count"), "8");
}

TEST(InstanceTypes, HaveGpusOfModelsThatAreKnown) {
  EXPECT_GE(instance_types().size(), 200U);
  for (const InstanceType& type : instance_types()) {
    EXPECT_EQ(find_instance_type(type.name), &type);
    EXPECT_LE(type.allocatable_mib, type.memory_mib) << type.name;
    EXPECT_LE(type.allocatable_millicpus, type.cpus * 1000) << type.name;
    EXPECT_EQ(type.gpu_model.empty(), type.devices == 0 || type.resource != "nvidia.com/gpu") << type.name;
    if (!type.gpu_model.empty()) {
      EXPECT_NE(find_gpu_model(type.gpu_model), nullptr) << type.name;
    }
  }
  EXPECT_EQ(find_instance_type("g4dn"), nullptr);
}

TEST(NodeTemplate, TakesTheUsersLabelsBeforeItsOwn) {
  const auto nodes = made({"1:label=topology.kubernetes.io/zone=there,label=kubernetes.io/hostname=h"});
  EXPECT_EQ(label(nodes[0], "topology.kubernetes.io/zone"), "there");
  EXPECT_EQ(label(nodes[0], "kubernetes.io/hostname"), "h");
}

TEST(NodeTemplate, KnowsNoZoneWhereThereIsNone) {
  const kube::Node plain = made({"1"}, {}, {}).at(0);
  EXPECT_EQ(label(plain, "topology.kubernetes.io/zone"), "none");
  EXPECT_EQ(label(plain, "topology.kubernetes.io/region"), "none");
}

TEST(NodeTemplate, AdvertisesNoGpusThatWaitForAPlugin) {
  const kube::Node waiting = made({"1:gpu=h100:4,device-plugin=required"}).at(0);
  EXPECT_FALSE(waiting.allocatable.contains("nvidia.com/gpu"));
  EXPECT_EQ(label(waiting, "nvidia.com/gpu.count"), "4");
  EXPECT_EQ(label(waiting, "nvidia.com/gpu.replicas"), "none");
}

TEST(NodeTemplate, NumbersWithinEachPrefixPastWhatIsTaken) {
  EXPECT_THAT(names(made({"2", "1:gpu=l4", "1:name=node"})), ElementsAre("node-1", "node-2", "gpu-l4-1", "node-3"));
  EXPECT_EQ(names(made({"9", "1"})).front(), "node-01") << "names sort as they count";
  EXPECT_THAT(names(made({"2"}, {node("node-1"), node("node-3")})), ElementsAre("node-2", "node-4"));
  EXPECT_THAT(names(made({"2:like=a", "1:like=a,name=b", "1:like=a"}, {node("a"), node("a-added-1")})),
              ElementsAre("a-added-2", "a-added-3", "b-1", "a-added-4"));
  EXPECT_EQ(names(made({"10:like=a"}, {node("a")})).front(), "a-added-1");
}

TEST(NodeTemplate, CopiesANodeWithoutItsTroubles) {
  kube::Node like = node("a").label("pool", "gpu").taint("team", TaintEffect::kNoSchedule, "ml").zone("z").cordoned();
  like.taints.push_back({"node.kubernetes.io/not-ready", "", TaintEffect::kNoExecute, std::nullopt});
  like.metadata.uid = "u";
  like.metadata.finalizers = {"f"};
  like.metadata.deletion_timestamp = Instant{};
  like.metadata.annotations["k"] = "v";
  like.conditions = {{"Ready", "False", "", ""}};
  const kube::Node copy = made({"1:like=a"}, {like}).at(0);
  EXPECT_EQ(label(copy, "kubernetes.io/hostname"), "a-added-1");
  EXPECT_EQ(label(copy, "pool"), "gpu");
  EXPECT_EQ(label(copy, "topology.kubernetes.io/zone"), "z");
  EXPECT_EQ(copy.metadata.annotations, like.metadata.annotations);
  EXPECT_EQ(copy.allocatable, like.allocatable);
  EXPECT_THAT(copy.taints, ElementsAre(kube::Taint{"team", "ml", TaintEffect::kNoSchedule, std::nullopt}));
  EXPECT_FALSE(copy.unschedulable);
  EXPECT_FALSE(copy.metadata.deletion_timestamp);
  EXPECT_TRUE(copy.metadata.uid.empty() && copy.metadata.finalizers.empty() && copy.conditions.empty());
}

TEST(NodeTemplate, IsLikeOneOfATemplateBefore) {
  const auto nodes = made({"1:gpu=l4:2", "1:like=gpu-l4-1"});
  EXPECT_THAT(names(nodes), ElementsAre("gpu-l4-1", "gpu-l4-1-added-1"));
  EXPECT_EQ(nodes[1].allocatable.at("nvidia.com/gpu").value(), 2);
}

TEST(NodeTemplate, SaysWhichNodeIsNotThere) {
  const auto error = [](const std::vector<NodeTemplate>& templates, const std::vector<kube::Node>& there) {
    const auto nodes = make_nodes(templates, there, {});
    return nodes ? "" : nodes.error().message;
  };
  EXPECT_EQ(error({nodes_like("gpu-b")}, {node("gpu-a"), node("x")}),
            "there is no node \"gpu-b\"; did you mean \"gpu-a\"?");
  EXPECT_EQ(error({nodes_like("gpu-b")}, {}), "there is no node \"gpu-b\": there are no nodes");
  EXPECT_EQ(error({NodeTemplate{}, nodes_like("gpu-b")}, {node("x")}),
            "there is no node \"gpu-b\"; there is \"x\" and 1 more");
}

TEST(NodeTemplate, SeesTheZonesOfNodes) {
  EXPECT_THAT(zones_of({node("a").zone("z2").region("r"), node("b"), node("c").zone("z1"), node("d").zone("z1")}),
              ElementsAre(Zone{"r", "z2"}, Zone{"", "z1"}));
}

}  // namespace
}  // namespace loadline::capacity
