#include "objects/kube/kind/cluster_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Decoding decode_cluster(std::string_view fields) {
  return decode_text("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n" + std::string(fields));
}

TEST(KindCluster, NamesAndLabelsItsNodesAsKindDoes) {
  const Decoding decoding = decode_cluster(R"(name: demo
nodes:
- role: control-plane
- role: worker
  labels: {zone: a}
- role: worker
)");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  const std::vector<Node>& nodes = decoding.objects.of<Node>();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].metadata.name, "demo-control-plane");
  EXPECT_EQ(nodes[1].metadata.name, "demo-worker");
  EXPECT_EQ(nodes[2].metadata.name, "demo-worker2");
  EXPECT_EQ(nodes[1].metadata.labels.at("zone"), "a");
  EXPECT_EQ(nodes[1].metadata.labels.at("kubernetes.io/hostname"), "demo-worker");
  EXPECT_EQ(nodes[0].metadata.labels.count("node-role.kubernetes.io/control-plane"), 1U);
  ASSERT_EQ(nodes[0].taints.size(), 1U);
  EXPECT_EQ(nodes[0].taints[0].key, "node-role.kubernetes.io/control-plane");
  EXPECT_EQ(nodes[0].taints[0].effect, TaintEffect::kNoSchedule);
  EXPECT_THAT(nodes[1].taints, IsEmpty());
  EXPECT_EQ(nodes[1].metadata.source.line, 6U);
}

TEST(KindCluster, IsOneUntaintedNodeUnlessItSaysOtherwise) {
  const Decoding decoding = decode_cluster("");
  ASSERT_EQ(decoding.objects.of<Node>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<Node>()[0].metadata.name, "kind-control-plane");
  EXPECT_THAT(decoding.objects.of<Node>()[0].taints, IsEmpty());
}

TEST(KindCluster, TakesTheSizeOfANodeFromItsLabels) {
  const Decoding decoding = decode_cluster(
      "nodes: [{labels: {loadline.dev/capacity.cpu: \"64\", loadline.dev/capacity.nvidia.com__gpu: \"8\"}}]\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  const Node& node = decoding.objects.of<Node>().at(0);
  EXPECT_EQ(node.allocatable.at("cpu").value(), 64);
  EXPECT_EQ(node.allocatable.at("memory").value(), 32LL << 30);
  EXPECT_EQ(node.allocatable.at("pods").value(), 110);
  EXPECT_EQ(node.capacity.at("nvidia.com/gpu").value(), 8);
  EXPECT_EQ(node.metadata.labels.count("loadline.dev/capacity.cpu"), 0U);
}

TEST(KindCluster, ReportsASizeThatIsNoQuantity) {
  const Decoding decoding = decode_cluster("nodes: [{labels: {loadline.dev/capacity.cpu: many}}]\n");
  ASSERT_EQ(decoding.diagnostics.size(), 1U);
  EXPECT_EQ(decoding.diagnostics[0].path, "nodes[0].labels[loadline.dev/capacity.cpu]");
  EXPECT_EQ(decoding.diagnostics[0].at.column, 46U);
  EXPECT_THAT(decoding.objects.of<Node>(), IsEmpty());
}

TEST(KindCluster, ReportsUnknownFieldsRolesAndVersions) {
  EXPECT_THAT(lines_of(decode_cluster("nodes: [{roles: worker}]\n").diagnostics),
              ElementsAre("3:10 error nodes[0].roles: unknown field \"nodes[0].roles\""));
  EXPECT_THAT(lines_of(decode_cluster("nodes: [{role: master}]\n").diagnostics),
              ElementsAre("3:16 error nodes[0].role: Unsupported value: \"master\": supported values: "
                          "\"control-plane\", \"worker\""));
  EXPECT_THAT(lines_of(decode_cluster("nodes: [{role: worker}]\n").diagnostics),
              ElementsAre("3:8 error nodes: must have at least one control-plane node"));
  EXPECT_THAT(lines_of(decode_text("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha3\n").diagnostics),
              ElementsAre("2:13 error apiVersion: unknown apiVersion: kind.x-k8s.io/v1alpha3"));
}

}  // namespace
}  // namespace loadline::kube
