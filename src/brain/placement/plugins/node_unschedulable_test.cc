#include "brain/placement/plugins/node_unschedulable.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::tolerating;

using NodeUnschedulableTest = testing::PlacementFixture;

TEST_F(NodeUnschedulableTest, ACordonKeepsOutWhoDoesNotTolerateItsTaint) {
  const auto open = add(node("open"));
  const auto cordoned = add(node("cordoned").cordoned());
  const NodeUnschedulable plugin;
  const char* taint = "node.kubernetes.io/unschedulable";
  EXPECT_EQ(judge(plugin, pod("p"), open), "passes");
  EXPECT_EQ(judge(plugin, pod("p"), cordoned), "node(s) were unschedulable (unresolvable)");
  EXPECT_EQ(judge(plugin, pod("p").tolerates(tolerating(taint)), cordoned), "passes");
  EXPECT_EQ(judge(plugin, pod("p").tolerates(tolerating("")), cordoned), "passes");
  EXPECT_EQ(judge(plugin, pod("p").tolerates(tolerating(taint, kube::TaintEffect::kNoExecute)), cordoned),
            "node(s) were unschedulable (unresolvable)");
}

}  // namespace
}  // namespace loadline::placement
