#include "brain/placement/plugins/node_name.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

using NodeNameTest = testing::PlacementFixture;

TEST_F(NodeNameTest, APodThatNamesItsNodeGoesThereOrNowhere) {
  const auto one = add(node("one"));
  const auto two = add(node("two"));
  const NodeName plugin;
  EXPECT_EQ(judge(plugin, pod("p"), one), "passes");
  EXPECT_EQ(judge(plugin, pod("p").on_node("one"), one), "passes");
  EXPECT_EQ(judge(plugin, pod("p").on_node("one"), two), "node(s) didn't match the requested node name (unresolvable)");
}

}  // namespace
}  // namespace loadline::placement
