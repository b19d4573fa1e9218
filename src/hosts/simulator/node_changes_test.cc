#include "hosts/simulator/node_changes.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/node_builder.h"
#include "objects/kube/storage/storage.h"

namespace loadline::simulator {
namespace {

using cluster::testing::node;
using kube::TaintEffect;

class NodeChangesTest : public ::testing::Test {
 protected:
  kube::Objects objects;

  NodeChangesTest() {
    objects.of<kube::Node>() = {node("gpu-a").label("pool", "gpu").taint("team", TaintEffect::kNoSchedule, "ml"),
                                node("cpu-a")};
  }

  Result<std::vector<std::string>> added(const std::vector<capacity::NodeTemplate>& templates) {
    return add_nodes(objects, templates);
  }

  std::string taint_error(std::string_view taint) {
    const auto result = taint_nodes(objects, "gpu-a", taint);
    return result ? "" : result.error().message;
  }
};

TEST_F(NodeChangesTest, AddsNodesLikeOneWithItsDrivers) {
  kube::CsiNode csi;
  csi.metadata.name = "gpu-a";
  objects.of<kube::CsiNode>().push_back(csi);
  objects.of<kube::Node>().push_back(node("gpu-a-added-1"));
  const auto names = added({capacity::nodes_like("cpu-a"), capacity::nodes_like("gpu-a", 2)});
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{"cpu-a-added-1", "gpu-a-added-2", "gpu-a-added-3"}));
  const kube::Node& copy = objects.of<kube::Node>().back();
  EXPECT_EQ(copy.metadata.name, "gpu-a-added-3");
  EXPECT_EQ(copy.metadata.labels.at("pool"), "gpu");
  ASSERT_EQ(objects.of<kube::CsiNode>().size(), 3U);
  EXPECT_EQ(objects.of<kube::CsiNode>().back().metadata.name, "gpu-a-added-3");
}

TEST_F(NodeChangesTest, DealsNodesOfAShapeOutToTheZonesThatThereAre) {
  objects.of<kube::Node>()[0].metadata.labels["topology.kubernetes.io/zone"] = "z";
  ASSERT_TRUE(added({{2, "", capacity::NodeShape()}}));
  ASSERT_EQ(objects.of<kube::Node>().size(), 4U);
  EXPECT_EQ(objects.of<kube::Node>()[3].metadata.name, "node-2");
  EXPECT_EQ(objects.of<kube::Node>()[3].metadata.labels.at("topology.kubernetes.io/zone"), "z");
}

TEST_F(NodeChangesTest, RefusesToCopyWhatIsNotThere) {
  EXPECT_EQ(added({capacity::nodes_like("gpu-b")}).error().message,
            "there is no node \"gpu-b\"; did you mean \"gpu-a\"?");
  EXPECT_FALSE(added({capacity::nodes_like("gpu-a", 0)}));
  EXPECT_FALSE(added({capacity::nodes_like("gpu-a", 1'000'000)}));
}

TEST_F(NodeChangesTest, CordonsAndUncordonsWithTheTaint) {
  ASSERT_TRUE(cordon(objects, "gpu-a", Cordon::kOn));
  ASSERT_TRUE(cordon(objects, "gpu-a", Cordon::kOn));
  EXPECT_TRUE(objects.of<kube::Node>()[0].unschedulable);
  EXPECT_EQ(objects.of<kube::Node>()[0].taints.size(), 2U);
  EXPECT_FALSE(objects.of<kube::Node>()[1].unschedulable);
  ASSERT_TRUE(cordon(objects, "gpu-a", Cordon::kOff));
  EXPECT_FALSE(objects.of<kube::Node>()[0].unschedulable);
  EXPECT_EQ(objects.of<kube::Node>()[0].taints.size(), 1U);
}

TEST_F(NodeChangesTest, PutsAndReplacesTaints) {
  ASSERT_TRUE(taint_nodes(objects, "*", "team=web:NoSchedule"));
  ASSERT_EQ(objects.of<kube::Node>()[0].taints.size(), 1U);
  EXPECT_EQ(objects.of<kube::Node>()[0].taints[0].value, "web");
  ASSERT_EQ(objects.of<kube::Node>()[1].taints.size(), 1U);
  ASSERT_TRUE(taint_nodes(objects, "gpu-a", "team:NoExecute"));
  EXPECT_EQ(objects.of<kube::Node>()[0].taints.size(), 2U);
}

TEST_F(NodeChangesTest, RemovesTaintsByEffectOrAltogether) {
  ASSERT_TRUE(taint_nodes(objects, "gpu-a", "team:NoExecute"));
  ASSERT_TRUE(taint_nodes(objects, "gpu-a", "team:NoSchedule-"));
  ASSERT_EQ(objects.of<kube::Node>()[0].taints.size(), 1U);
  EXPECT_EQ(objects.of<kube::Node>()[0].taints[0].effect, TaintEffect::kNoExecute);
  ASSERT_TRUE(taint_nodes(objects, "*", "team-"));
  EXPECT_TRUE(objects.of<kube::Node>()[0].taints.empty());
  EXPECT_EQ(taint_error("team-"), "no node of \"gpu-a\" has a taint team");
}

TEST_F(NodeChangesTest, SaysWhatIsWrongWithATaint) {
  EXPECT_EQ(taint_error("team"),
            "\"team\" is no taint; write key=value:Effect or key:Effect to put one, key:Effect- or key- to remove it");
  EXPECT_EQ(taint_error("team:NoShedule"), "\"NoShedule\" is no effect of a taint; did you mean NoSchedule?");
  EXPECT_EQ(taint_error("team:Never"),
            "\"Never\" is no effect of a taint; there are NoSchedule, PreferNoSchedule and NoExecute");
  EXPECT_NE(taint_error("-:NoSchedule"), "");
  EXPECT_NE(taint_error("team=a b:NoSchedule"), "");
  EXPECT_NE(taint_error(""), "");
}

TEST_F(NodeChangesTest, PutsAndRemovesLabels) {
  ASSERT_TRUE(label_nodes(objects, "gpu-a,cpu-a", "pool=both"));
  EXPECT_EQ(objects.of<kube::Node>()[1].metadata.labels.at("pool"), "both");
  ASSERT_TRUE(label_nodes(objects, "gpu-a", "pool-"));
  EXPECT_FALSE(objects.of<kube::Node>()[0].metadata.labels.contains("pool"));
  EXPECT_EQ(label_nodes(objects, "gpu-a", "pool-").error().message, "no node of \"gpu-a\" has a label pool");
  EXPECT_EQ(label_nodes(objects, "gpu-a", "pool").error().message,
            "\"pool\" is no label; write key=value to put one, key- to remove it");
  EXPECT_FALSE(label_nodes(objects, "gpu-a", "=x"));
  ASSERT_TRUE(label_nodes(objects, "gpu-a", "empty="));
  EXPECT_EQ(objects.of<kube::Node>()[0].metadata.labels.at("empty"), "");
}

}  // namespace
}  // namespace loadline::simulator
