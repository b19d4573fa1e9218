#include "brain/placement/plugins/node_affinity.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::label_in;
using cluster::testing::named;
using cluster::testing::node;
using cluster::testing::pod;

struct NodeAffinityTest : testing::PlacementFixture {
  NodeAffinity plugin{{}};
  static constexpr const char* kMismatch = "node(s) didn't match Pod's node affinity/selector (unresolvable)";
};

TEST_F(NodeAffinityTest, SelectorAndTermsMustBothHold) {
  const auto ssd = add(node("ssd").label("disk", "ssd").zone("a"));
  const auto hdd = add(node("hdd").label("disk", "hdd").zone("a"));
  EXPECT_EQ(judge(plugin, pod("p"), ssd), "skipped");
  EXPECT_EQ(judge(plugin, pod("p").selects_nodes("disk", "ssd"), ssd), "passes");
  EXPECT_EQ(judge(plugin, pod("p").selects_nodes("disk", "ssd"), hdd), kMismatch);
  EXPECT_EQ(judge(plugin, pod("p").requires_nodes(label_in("disk", {"ssd", "hdd"})), hdd), "passes");
  EXPECT_EQ(judge(plugin, pod("p").requires_nodes(label_in("disk", {"hdd"})).selects_nodes("disk", "ssd"), hdd),
            kMismatch);
  EXPECT_EQ(judge(plugin, pod("p").requires_nodes({}), ssd), kMismatch);
  EXPECT_EQ(judge(plugin, pod("p").prefers_nodes(1, label_in("disk", {"hdd"})), ssd), "skipped");
}

TEST_F(NodeAffinityTest, NamesThatContradictEachOtherRefuseThePodAsAWhole) {
  const auto one = add(node("one"));
  kube::NodeSelectorTerm contradiction = named("one");
  contradiction.match_fields.push_back(named("two").match_fields.front());
  EXPECT_EQ(judge(plugin, pod("p").requires_nodes(contradiction), one),
            "anywhere: pod affinity terms conflict (unresolvable)");
}

TEST_F(NodeAffinityTest, PreferencesAreScaledToTheLargestSum) {
  add(node("a").label("one", "").label("two", ""));
  add(node("b").label("two", ""));
  add(node("c"));
  const auto one = label_in("one", {""});
  const auto two = label_in("two", {""});
  EXPECT_EQ(scores(plugin, pod("p")), std::nullopt);
  EXPECT_EQ(scores(plugin, pod("p").prefers_nodes(80, one).prefers_nodes(20, two)), (Scores{100, 20, 0}));
  EXPECT_EQ(raw(), (Scores{100, 20, 0}));
  EXPECT_EQ(scores(plugin, pod("p").prefers_nodes(3, one).prefers_nodes(4, two)), (Scores{100, 57, 0}));  // 400 / 7
  EXPECT_EQ(scores(plugin, pod("p").prefers_nodes(5, label_in("none", {""}))), (Scores{0, 0, 0}));
  EXPECT_EQ(scores(plugin, pod("p").prefers_nodes(0, one)), (Scores{0, 0, 0}));
}

TEST_F(NodeAffinityTest, TheProfilesOwnAffinityBindsEveryPod) {
  kube::NodeAffinityArgs args;
  args.added_affinity.emplace();
  args.added_affinity->required = kube::NodeSelector{{label_in("pool", {"batch"})}};
  args.added_affinity->preferred = {{10, label_in("disk", {"ssd"})}};
  const NodeAffinity enforcing(args);
  const auto batch = add(node("batch").label("pool", "batch"));
  const auto other = add(node("other").label("disk", "ssd"));
  EXPECT_EQ(judge(enforcing, pod("p"), batch), "passes");
  EXPECT_EQ(judge(enforcing, pod("p"), other), "node(s) didn't match scheduler-enforced node affinity (unresolvable)");
  EXPECT_EQ(judge(enforcing, pod("p").selects_nodes("disk", "ssd"), batch), kMismatch);
  EXPECT_EQ(scores(enforcing, pod("p").prefers_nodes(40, label_in("pool", {"batch"}))), (Scores{100, 25}));
}

}  // namespace
}  // namespace loadline::placement
