#include "brain/placement/plugins/scheduling_gates.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::pod;

using SchedulingGatesTest = testing::PlacementFixture;

TEST_F(SchedulingGatesTest, GatesAreNamedInTheirOrder) {
  const SchedulingGates plugin;
  EXPECT_FALSE(plugin.pre_enqueue(*pod("p").build().spec));
  const auto gated = plugin.pre_enqueue(*pod("p").gated("b.example.com/x").gated("a").build().spec);
  ASSERT_TRUE(gated);
  EXPECT_EQ(text(*gated), "waiting for scheduling gates: [b.example.com/x a] (unresolvable)");
}

}  // namespace
}  // namespace loadline::placement
