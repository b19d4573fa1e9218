#include "brain/placement/plugins/taint_toleration.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::tolerating;
using kube::TaintEffect;

struct TaintTolerationTest : testing::PlacementFixture {
  TaintToleration plugin;
};

TEST_F(TaintTolerationTest, HardTaintsKeepOutWhoDoesNotTolerateThem) {
  const char* refused = "node(s) had untolerated taint(s) (unresolvable)";
  const auto clean = add(node("clean"));
  const auto soft = add(node("soft").taint("a", TaintEffect::kPreferNoSchedule));
  const auto hard = add(node("hard").taint("a", TaintEffect::kNoSchedule, "1"));
  const auto leaving = add(node("leaving").taint("a", TaintEffect::kNoExecute));
  const auto both = add(node("both").taint("a", TaintEffect::kNoSchedule).taint("b", TaintEffect::kNoSchedule));
  EXPECT_EQ(judge(plugin, pod("p"), clean), "passes");
  EXPECT_EQ(judge(plugin, pod("p"), soft), "passes");
  EXPECT_EQ(judge(plugin, pod("p"), hard), refused);
  EXPECT_EQ(judge(plugin, pod("p"), leaving), refused);
  const auto tolerant = pod("p").tolerates(tolerating("a"));
  EXPECT_EQ(judge(plugin, tolerant, hard), "passes");
  EXPECT_EQ(judge(plugin, tolerant, leaving), "passes");
  EXPECT_EQ(judge(plugin, tolerant, both), refused);
}

TEST_F(TaintTolerationTest, FewerUntoleratedSoftTaintsScoreMore) {
  add(node("two").taint("a", TaintEffect::kPreferNoSchedule).taint("b", TaintEffect::kPreferNoSchedule));
  add(node("one").taint("a", TaintEffect::kPreferNoSchedule));
  add(node("none").taint("c", TaintEffect::kNoSchedule));
  EXPECT_EQ(scores(plugin, pod("p")), (Scores{0, 50, 100}));
  EXPECT_EQ(raw(), (Scores{2, 1, 0}));
  EXPECT_EQ(scores(plugin, pod("p").tolerates(tolerating("a"))), (Scores{0, 100, 100}));
  // A toleration of hard effects says nothing about soft ones.
  EXPECT_EQ(scores(plugin, pod("p").tolerates(tolerating("a", TaintEffect::kNoSchedule))), (Scores{0, 50, 100}));
  EXPECT_EQ(scores(plugin, pod("p").tolerates(tolerating(""))), (Scores{100, 100, 100}));
}

}  // namespace
}  // namespace loadline::placement
