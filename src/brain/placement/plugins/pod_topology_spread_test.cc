#include "brain/placement/plugins/pod_topology_spread.h"

#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::placement {
namespace {

using cluster::testing::label_in;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::selecting;
using cluster::testing::spread_over;
using cluster::testing::tolerating;

constexpr auto kHard = kube::UnsatisfiableAction::kDoNotSchedule;
constexpr auto kSoft = kube::UnsatisfiableAction::kScheduleAnyway;

PodBuilder web() { return pod("p").label("app", "web"); }

kube::TopologySpreadConstraint webs_over(const char* key, std::int32_t skew, kube::UnsatisfiableAction action) {
  return spread_over(key, skew, action, selecting("app", "web"));
}

struct PodTopologySpreadTest : testing::PlacementFixture {
  PodTopologySpread plugin{{}};
  cluster::NodeId a1 = add(node("a1").zone("a"));
  cluster::NodeId a2 = add(node("a2").zone("a"));
  cluster::NodeId b1 = add(node("b1").zone("b"));
  static constexpr const char* kSkewed = "node(s) didn't match pod topology spread constraints";
  static constexpr const char* kNoLabel =
      "node(s) didn't match pod topology spread constraints (missing required label) (unresolvable)";
};

// ---- the filter -----------------------------------------------------------------------------------------------------

TEST_F(PodTopologySpreadTest, NoDomainGetsMoreThanItsSkewAboveTheEmptiest) {
  const auto spread = web().spread(webs_over(testing::kZone, 1, kHard));
  EXPECT_EQ(judge(plugin, web(), a1), "skipped");
  EXPECT_EQ(judge(plugin, web().spread(webs_over(testing::kZone, 1, kSoft)), a1), "skipped");
  EXPECT_EQ(judge(plugin, spread, a1), "passes");
  add(web(), a1);
  EXPECT_EQ(judge(plugin, spread, a2), kSkewed);
  EXPECT_EQ(judge(plugin, spread, b1), "passes");
  EXPECT_EQ(judge(plugin, web().spread(webs_over(testing::kZone, 2, kHard)), a2), "passes");
  EXPECT_EQ(judge(plugin, web().spread(webs_over(testing::kHostname, 1, kHard)), a2), "passes");
  // A pod that its own selector leaves out adds nothing.
  EXPECT_EQ(judge(plugin, pod("q").spread(webs_over(testing::kZone, 1, kHard)), a2), "passes");
}

TEST_F(PodTopologySpreadTest, NodesWithoutTheKeyAreRefusedForGood) {
  const auto nowhere = add(node("nowhere"));
  EXPECT_EQ(judge(plugin, web().spread(webs_over(testing::kZone, 1, kHard)), nowhere), kNoLabel);
}

TEST_F(PodTopologySpreadTest, EveryConstraintMustHold) {
  add(web(), a1);
  add(web(), b1);
  const auto both = web().spread(webs_over(testing::kZone, 1, kHard)).spread(webs_over(testing::kHostname, 1, kHard));
  EXPECT_EQ(judge(plugin, both, a1), kSkewed);
  EXPECT_EQ(judge(plugin, both, a2), "passes");
}

TEST_F(PodTopologySpreadTest, WithFewerDomainsThanAskedTheEmptiestCountsAsNone) {
  add(web(), a1);
  add(web(), b1);
  auto constraint = webs_over(testing::kZone, 1, kHard);
  EXPECT_EQ(judge(plugin, web().spread(constraint), a1), "passes");
  constraint.min_domains = 2;
  EXPECT_EQ(judge(plugin, web().spread(constraint), a1), "passes");
  constraint.min_domains = 3;
  EXPECT_EQ(judge(plugin, web().spread(constraint), a1), kSkewed);
}

TEST_F(PodTopologySpreadTest, TerminatingPodsAndOtherNamespacesDoNotCount) {
  const auto leaving = add(web(), a1);
  add(web().in("other"), a1);
  const auto spread = web().spread(webs_over(testing::kZone, 1, kHard));
  EXPECT_EQ(judge(plugin, spread, a1), kSkewed);
  cluster_.set_terminating(leaving, false);
  EXPECT_EQ(judge(plugin, spread, a1), "passes");
}

TEST_F(PodTopologySpreadTest, NodesThePodMayNotUseAreNoDomainUnlessIgnored) {
  add(web(), a1);
  auto constraint = webs_over(testing::kZone, 1, kHard);
  const auto only_a = [&] { return web().requires_nodes(label_in(testing::kZone, {"a"})).spread(constraint); };
  EXPECT_EQ(judge(plugin, only_a(), a1), "passes");  // zone b is out of reach, so a is the emptiest
  constraint.node_affinity_policy = kube::NodeInclusionPolicy::kIgnore;
  EXPECT_EQ(judge(plugin, only_a(), a1), kSkewed);
}

TEST_F(PodTopologySpreadTest, TaintedNodesAreDomainsUnlessHonoured) {
  add(node("c1").zone("c").taint("dedicated", kube::TaintEffect::kNoSchedule));
  add(web(), a1);
  add(web(), b1);
  auto constraint = webs_over(testing::kZone, 1, kHard);
  EXPECT_EQ(judge(plugin, web().spread(constraint), a1), kSkewed);
  constraint.node_taints_policy = kube::NodeInclusionPolicy::kHonor;
  EXPECT_EQ(judge(plugin, web().spread(constraint), a1), "passes");
  EXPECT_EQ(judge(plugin, web().spread(constraint).tolerates(tolerating("dedicated")), a1), kSkewed);
}

TEST_F(PodTopologySpreadTest, OnlyNodesWithAllHardKeysFormDomains) {
  add(node("b2").zone("b").without_label(testing::kHostname));
  add(web(), a1);
  const auto both = web().spread(webs_over(testing::kZone, 1, kHard)).spread(webs_over(testing::kHostname, 5, kHard));
  EXPECT_EQ(judge(plugin, both, a1), kSkewed);
  cluster_.update_node(b1, node("b1").zone("b").without_label(testing::kHostname));
  EXPECT_EQ(judge(plugin, both, a1), "passes");  // zone b has no node with a hostname
}

TEST_F(PodTopologySpreadTest, MatchLabelKeysSpreadEachRevisionByItself) {
  add(web().label("revision", "1"), a1);
  auto constraint = webs_over(testing::kZone, 1, kHard);
  constraint.match_label_keys = {"revision"};
  EXPECT_EQ(judge(plugin, web().label("revision", "1").spread(constraint), a1), kSkewed);
  EXPECT_EQ(judge(plugin, web().label("revision", "2").spread(constraint), a1), "passes");
}

TEST_F(PodTopologySpreadTest, AnEmptySelectorCountsNoPodUntilKubernetes138) {
  add(web(), a1);
  add(web(), a1);
  const auto all = web().spread(spread_over(testing::kZone, 1, kHard, {}));
  EXPECT_EQ(judge(plugin, all, a1), "passes");
}

// ---- the score ------------------------------------------------------------------------------------------------------

TEST_F(PodTopologySpreadTest, CountsWeighByTheLogarithmOfTheDomains) {
  for (int i = 0; i < 3; ++i) add(web(), a1);
  add(web(), b1);
  // Two zones: 3·ln 4 = 4.16 and ln 4 = 1.39; normalised: 100·(4 + 1 − s) / 4.
  EXPECT_EQ(scores(plugin, web().spread(webs_over(testing::kZone, 1, kSoft))), (Scores{25, 25, 100}));
  EXPECT_EQ(raw(), (Scores{4, 4, 1}));
  // A skew of n adds n − 1 everywhere.
  EXPECT_EQ(scores(plugin, web().spread(webs_over(testing::kZone, 4, kSoft))),
            (Scores{57, 57, 100}));  // 100·(7 + 4 − s) / 7
  EXPECT_EQ(raw(), (Scores{7, 7, 4}));
}

TEST_F(PodTopologySpreadTest, HostnamesCountAsManyDomainsAsThereAreNodes) {
  for (int i = 0; i < 3; ++i) add(web(), a1);
  add(web(), b1);
  // Three nodes: 3·ln 5 = 4.83, 0, ln 5 = 1.61.
  EXPECT_EQ(scores(plugin, web().spread(webs_over(testing::kHostname, 1, kSoft))), (Scores{0, 100, 60}));
  EXPECT_EQ(raw(), (Scores{5, 0, 2}));
}

/// A search that looks at one node of those that are alike counts all domains of one node each.
TEST_F(PodTopologySpreadTest, AQuickSearchWeighsByAsManyDomains) {
  for (const cluster::NodeId each : {a1, a2, b1}) cluster_.remove_node(each);
  const int pods_in_racks[] = {4, 3, 3, 0};
  for (int i = 0; i < 4; ++i) {
    auto of_rack = node("r" + std::to_string(i)).label("rack", "r" + std::to_string(i)).allocatable("cpu", "10");
    if (i % 3 == 0) of_rack.taint("busy", kube::TaintEffect::kPreferNoSchedule);
    const cluster::NodeId here = add(of_rack);
    for (int pods = pods_in_racks[i]; pods > 0; --pods) add(web().request("cpu", "1"), here);
    add(pod("other").request("cpu", "5"), here);
  }
  const cluster::NodeId without = add(node("without").allocatable("cpu", "20"));
  const auto asking = web().request("cpu", "100m").spread(webs_over("rack", 1, kSoft));
  for (int i = 0; i < 12; ++i) {
    const cluster::PodId here = add(asking);
    EXPECT_EQ(decide(here).attempt.node, decide(here, Detail::kFull).attempt.node) << i;
    cluster_.remove_pod(here);
    add(pod("other").request("cpu", "1"), without);
  }
}

TEST_F(PodTopologySpreadTest, ConstraintsAddUpBeforeTheyAreRounded) {
  for (int i = 0; i < 3; ++i) add(web(), a1);
  const auto both = web().spread(webs_over(testing::kZone, 1, kSoft)).spread(webs_over(testing::kHostname, 1, kSoft));
  EXPECT_EQ(scores(plugin, both), (Scores{0, 55, 100}));
  EXPECT_EQ(raw(), (Scores{9, 4, 0}));  // 3·ln 4 + 3·ln 5 = 8.99; 3·ln 4 = 4.16
}

TEST_F(PodTopologySpreadTest, NodesThatLackAKeyScoreNothing) {
  add(node("nowhere"));
  add(web(), a1);
  EXPECT_EQ(scores(plugin, web().spread(webs_over(testing::kZone, 1, kSoft))), (Scores{0, 0, 100, 0}));
  EXPECT_EQ(raw(), (Scores{1, 1, 0, 0}));
}

TEST_F(PodTopologySpreadTest, WithNothingToCountEveryNodeIsBest) {
  EXPECT_EQ(scores(plugin, web()), std::nullopt);
  EXPECT_EQ(scores(plugin, web().spread(webs_over(testing::kZone, 1, kSoft))), (Scores{100, 100, 100}));
}

TEST_F(PodTopologySpreadTest, TheSystemSpreadsWhatBelongsTogether) {
  add(node("nowhere"));
  kube::Service service;
  service.metadata.name = "web";
  service.metadata.namespace_ = "default";
  service.selector = {{"app", "web"}};
  cluster_.change_owners().add_service(service);
  for (int i = 0; i < 3; ++i) add(web(), a1);
  EXPECT_EQ(scores(plugin, pod("q")), std::nullopt);
  // Per hostname (4 nodes, skew 3) n·ln 6 + 2, per zone (a, b and none: 3 domains, skew 5) n·ln 5 + 4: a1 3·1.79 + 2 +
  // 3·1.61 + 4 = 16.2, a2 2 + 8.83 = 10.83, b1 6; without a zone 2.
  EXPECT_EQ(scores(plugin, web()), (Scores{12, 43, 75, 100}));
  EXPECT_EQ(raw(), (Scores{16, 11, 6, 2}));
  kube::PodTopologySpreadArgs none;
  none.defaulting = kube::SpreadDefaulting::kList;
  EXPECT_EQ(scores(PodTopologySpread(none), web()), std::nullopt);
}

}  // namespace
}  // namespace loadline::placement
