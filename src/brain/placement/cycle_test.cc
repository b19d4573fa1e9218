#include "brain/placement/cycle.h"

#include <algorithm>
#include <numeric>

#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"
#include "objects/kube/scalars.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::label_in;
using cluster::testing::named;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::pods_with;

struct CycleTest : testing::PlacementFixture {
  [[nodiscard]] std::string chosen(const Decision& decision) const {
    return decision.attempt.scheduled() ? std::string(cluster_.node_name(decision.attempt.node)) : "none";
  }
  void add_nodes(int count) {
    for (int i = 0; i < count; ++i) add(node("n" + std::to_string(i)));
  }
  std::string rejection(const Decision& decision, NodeId id) {
    const RejectionId rejection = decision.attempt.rejection_by_node[id.index()];
    return rejection.valid() ? text(rejection, scheduler().rejections()) : "not looked at";
  }
};

// ---- choice ---------------------------------------------------------------------------------------------------------

TEST_F(CycleTest, TheBestNodeWins) {
  const auto busy = add(node("busy"));
  add(node("idle"));
  add(pod("there").request("cpu", "2").request("memory", "2Gi"), busy);
  EXPECT_EQ(chosen(decide(pod("p").request("cpu", "1").request("memory", "1Gi"))), "idle");
}

TEST_F(CycleTest, AmongEqualsTheFirstInScanOrderWins) {
  add(node("a1").zone("a"));
  add(node("a2").zone("a"));
  add(node("b1").zone("b"));
  const PodId asker = add(pod("p"));
  EXPECT_EQ(chosen(decide(asker)), "a1");
  EXPECT_EQ(decide(asker, Detail::kFull).attempt.best, (std::vector<NodeId>{NodeId{0}, NodeId{2}, NodeId{1}}));
}

TEST_F(CycleTest, AOnlyNodeIsTakenUnscored) {
  add(node("only"));
  const Decision decision = decide(pod("p"));
  EXPECT_EQ(chosen(decision), "only");
  const Decision full = decide(add(pod("q")), Detail::kFull);
  EXPECT_EQ(chosen(full), "only");
  EXPECT_GT(full.attempt.best_score, 0);
}

TEST_F(CycleTest, FullDetailShowsEveryPluginsWeightedScores) {
  add(node("soft").taint("a", kube::TaintEffect::kPreferNoSchedule));
  add(node("clean"));
  const Decision decision = decide(add(pod("p")), Detail::kFull);
  const auto& columns = decision.attempt.columns;
  const auto taints =
      std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.plugin == "TaintToleration"; });
  ASSERT_NE(taints, columns.end());
  EXPECT_EQ(taints->scores, (Scores{0, 300}));
  const auto affinity =
      std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.plugin == "NodeAffinity"; });
  EXPECT_TRUE(affinity->skipped);
  EXPECT_EQ(affinity->scores, (Scores{0, 0}));
  std::int64_t sum = 0;
  for (const ScoreColumn& column : columns) sum += column.scores[1];
  EXPECT_EQ(decision.attempt.best_score, sum);
}

TEST_F(CycleTest, TheSameQuestionGetsTheSameAnswer) {
  add_nodes(7);
  for (int i = 0; i < 5; ++i) add(pod("there").request("cpu", "1"), NodeId{static_cast<std::size_t>(i)});
  const PodId asker = add(pod("p").request("cpu", "1"));
  const Decision first = decide(asker);
  const Decision second = decide(asker);
  EXPECT_EQ(first.attempt.node, second.attempt.node);
  EXPECT_EQ(first.attempt.best_score, second.attempt.best_score);
  EXPECT_EQ(chosen(first), "n5");
}

TEST_F(CycleTest, EveryNodeIsChargedToTheFirstPluginThatRefusesIt) {
  const auto both = add(node("both").cordoned().taint("a", kube::TaintEffect::kNoSchedule).allocatable("cpu", "1"));
  const auto taint = add(node("taint").taint("a", kube::TaintEffect::kNoSchedule).allocatable("cpu", "1"));
  const auto small = add(node("small").allocatable("cpu", "1"));
  const Decision decision = decide(add(pod("p").request("cpu", "2")), Detail::kFull);
  EXPECT_EQ(rejection(decision, both), "node(s) were unschedulable (unresolvable)");
  EXPECT_EQ(rejection(decision, taint), "node(s) had untolerated taint(s) (unresolvable)");
  EXPECT_EQ(rejection(decision, small), "Insufficient cpu (unresolvable)");
  EXPECT_EQ(decision.attempt.rejecting_plugins,
            (std::vector<std::string_view>{"NodeResourcesFit", "NodeUnschedulable", "TaintToleration"}));
}

TEST_F(CycleTest, PluginsThatRefuseSayWhichPodsMayHelp) {
  add(node("a").allocatable("cpu", "1").label("zone", "z"));
  const Decision large = decide(pod("large").request("cpu", "2"));
  EXPECT_FALSE(large.attempt.scheduled());
  EXPECT_FALSE(large.attempt.wake_ups.any()) << "room alone";
  const Decision lonely = decide(pod("lonely").near(cluster::testing::pods_with("app", "db", "zone")));
  EXPECT_EQ(lonely.attempt.wake_ups, (WakeUps{.by_affinity = true}));
  const Decision spread = decide(
      pod("spread").spread(cluster::testing::spread_over("rack", 1, kube::UnsatisfiableAction::kDoNotSchedule, {})));
  EXPECT_FALSE(spread.attempt.scheduled());
  EXPECT_EQ(spread.attempt.wake_ups, (WakeUps{.by_namespace = true}));
}

// ---- PreFilter ------------------------------------------------------------------------------------------------------

TEST_F(CycleTest, NamedNodesNarrowTheSearch) {
  add_nodes(3);
  const Decision fits = decide(pod("p").requires_nodes(named("n2")));
  EXPECT_EQ(chosen(fits), "n2");
  EXPECT_EQ(fits.attempt.examined, 1);
  const Decision fails = decide(pod("q").requires_nodes(named("n1")).request("cpu", "9"));
  EXPECT_EQ(rejection(fails, NodeId{0}), "not looked at");
  EXPECT_EQ(rejection(fails, NodeId{1}), "Insufficient cpu (unresolvable)");
  EXPECT_EQ(text(fails.attempt.absent, scheduler().rejections()),
            "node(s) didn't satisfy plugin(s) [NodeAffinity] (unresolvable)");
  EXPECT_EQ(chosen(decide(pod("r").requires_nodes(named("gone")))), "none");
}

// ---- nominated pods -------------------------------------------------------------------------------------------------

TEST_F(CycleTest, RoomIsKeptForNominatedPodsOfEqualOrHigherPriority) {
  add(node("n"));
  const PodId nominee = add(pod("nominee").request("cpu", "3").priority(5));
  cluster_.nominate(nominee, NodeId{0});
  EXPECT_EQ(chosen(decide(pod("low").request("cpu", "2").priority(1))), "none");
  EXPECT_EQ(chosen(decide(pod("equal").request("cpu", "2").priority(5))), "none");
  EXPECT_EQ(chosen(decide(pod("high").request("cpu", "2").priority(6))), "n");
  EXPECT_EQ(chosen(decide(pod("small").request("cpu", "1").priority(1))), "n");
  EXPECT_TRUE(cluster_.pods_on(NodeId{0}).empty());
  EXPECT_EQ(cluster_.requested(NodeId{0}, cluster::kCpu), 0);
}

TEST_F(CycleTest, ANominatedPodThatMayNotComeIsNoCompany) {
  add(node("n").zone("a"));
  const PodId nominee = add(pod("nominee").label("app", "db").priority(5));
  cluster_.nominate(nominee, NodeId{0});
  EXPECT_EQ(chosen(decide(pod("p").near(pods_with("app", "db", testing::kZone)))), "none");
  EXPECT_EQ(chosen(decide(pod("q").away_from(pods_with("app", "db", testing::kZone)))), "none");
}

TEST_F(CycleTest, ThePodsOwnNominationIsTriedFirst) {
  add_nodes(2);
  const PodId nominee = add(pod("nominee").request("cpu", "3"));
  cluster_.nominate(nominee, NodeId{1});
  const Decision decision = decide(nominee);
  EXPECT_EQ(chosen(decision), "n1");
  EXPECT_TRUE(decision.attempt.by_nomination);
  EXPECT_EQ(decision.attempt.examined, 1);
  add(pod("there").request("cpu", "2"), NodeId{1});
  EXPECT_EQ(chosen(decide(nominee)), "n0");
}

// ---- how many nodes -------------------------------------------------------------------------------------------------

TEST_F(CycleTest, EveryNodeIsScoredUnlessConfigured) {
  add_nodes(150);
  EXPECT_EQ(decide(add(pod("p")), Detail::kFull).attempt.feasible.size(), 150U);
}

TEST_F(CycleTest, APercentageEndsTheSearchEarlyAndTheNextBeginsWhereItEnded) {
  add_nodes(250);
  configuration_.percentage_of_nodes_to_score = 48;  // 120 of 250
  const Decision first = decide(pod("p"));
  EXPECT_EQ(first.attempt.feasible.size(), 120U);
  EXPECT_EQ(first.attempt.feasible.front(), NodeId{0});
  EXPECT_EQ(chosen(first), "n0");
  const Decision second = decide(pod("q"));
  EXPECT_EQ(second.attempt.feasible.front(), NodeId{120});
  EXPECT_EQ(chosen(second), "n120");
  const Decision third = decide(pod("r"));
  EXPECT_EQ(third.attempt.feasible.front(), NodeId{240});
  EXPECT_EQ(third.attempt.feasible.back(), NodeId{109});
  EXPECT_EQ(chosen(third), "n240");
}

TEST_F(CycleTest, RefusedNodesMoveTheStartToo) {
  for (int i = 0; i < 10; ++i) add(node("cordoned" + std::to_string(i)).cordoned());
  add_nodes(240);
  configuration_.percentage_of_nodes_to_score = 40;  // 100 of 250
  EXPECT_EQ(decide(pod("p")).attempt.feasible.front(), NodeId{10});
  EXPECT_EQ(decide(pod("q")).attempt.feasible.front(), NodeId{110});
}

TEST_F(CycleTest, FewNodesAreAllSearchedAndAHundredAtLeast) {
  add_nodes(99);
  configuration_.percentage_of_nodes_to_score = 1;
  EXPECT_EQ(decide(pod("p")).attempt.feasible.size(), 99U);
  add(node("one-more"));
  add(node("another"));
  EXPECT_EQ(decide(pod("q")).attempt.feasible.size(), 100U);
}

TEST_F(CycleTest, TheAdaptiveShareShrinksWithTheCluster) {
  add_nodes(1000);
  configuration_.percentage_of_nodes_to_score = 0;
  EXPECT_EQ(decide(pod("p")).attempt.feasible.size(), 420U);  // 50 − 1000/125 = 42 %
}

TEST_F(CycleTest, ThePolicyMaySampleNodesUnlessTheConfigurationSays) {
  add_nodes(1000);
  scheduler().set_switches({.nodes_to_score = NodesToScore::kAdaptive});
  EXPECT_EQ(decide(add(pod("p")), Detail::kFull).attempt.feasible.size(), 420U);
  EXPECT_EQ(chosen(decide(pod("q"))), "n420") << "the search goes on where the last one ended";
  scheduler().set_switches({});
  EXPECT_EQ(decide(add(pod("r")), Detail::kFull).attempt.feasible.size(), 1000U);
}

TEST_F(CycleTest, TheConfigurationGoesBeforeThePolicy) {
  add_nodes(1000);
  configuration_.percentage_of_nodes_to_score = 100;
  scheduler().set_switches({.nodes_to_score = NodesToScore::kAdaptive});
  EXPECT_EQ(decide(add(pod("p")), Detail::kFull).attempt.feasible.size(), 1000U);
}

TEST_F(CycleTest, WithoutScoresTheFirstFitIsTaken) {
  add_nodes(5);
  configuration_.profiles[0].plugins.score.disabled = {{"*"}};
  const Decision decision = decide(pod("p"));
  EXPECT_EQ(decision.attempt.feasible.size(), 1U);
  EXPECT_EQ(chosen(decision), "n0");
}

// ---- errors ---------------------------------------------------------------------------------------------------------

TEST_F(CycleTest, AClusterWithoutNodesBlamesNoPlugin) {
  const Decision decision = decide(pod("p").requires_nodes(named("gone")));
  EXPECT_EQ(placement::text(decision), "no nodes available to schedule pods");
  EXPECT_TRUE(decision.attempt.rejecting_plugins.empty());
}

TEST_F(CycleTest, APluginThatScoresUnpreparedFailsTheAttempt) {
  add_nodes(2);
  kube::ProfilePlugins& plugins = configuration_.profiles[0].plugins;
  plugins.multi_point.disabled = {{"PodTopologySpread", 0}};
  plugins.score.enabled = {{"PodTopologySpread", 1}};
  const Decision decision = decide(pod("p"));
  EXPECT_FALSE(decision.attempt.scheduled());
  EXPECT_EQ(placement::text(decision),
            "running Score plugins: plugin \"PodTopologySpread\" failed with: error reading "
            "\"PreScorePodTopologySpread\" from cycleState: not found");
}

TEST_F(CycleTest, APluginThatFiltersUnpreparedFailsTheAttempt) {
  add_nodes(2);
  kube::ProfilePlugins& plugins = configuration_.profiles[0].plugins;
  plugins.multi_point.disabled = {{"NodePorts", 0}};
  plugins.filter.enabled = {{"NodePorts", 0}};
  EXPECT_EQ(placement::text(decide(pod("p"))),
            "running \"NodePorts\" filter plugin: reading \"PreFilterNodePorts\" from cycleState: not found");
}

TEST_F(CycleTest, APreferenceThatCannotBeParsedFailsTheAttempt) {
  add_nodes(2);
  const auto wanting =
      pod("p").prefers_nodes(5, {{cluster::testing::requirement("gen", kube::NodeSelectorOperator::kLt, {"-5"})}, {}});
  EXPECT_EQ(
      placement::text(decide(wanting)),
      "running PreScore plugin \"NodeAffinity\": [0].matchExpressions[0].values[0][gen]: Invalid value: \"-5\": " +
          kube::label_value_problems("-5").front());
}

// ---- plugins beside each other --------------------------------------------------------------------------------------

TEST_F(CycleTest, ScoresHoldInWhateverOrderPluginsPrepareThem) {
  for (int i = 0; i < 6; ++i) add(node("n" + std::to_string(i)).zone(i % 2 == 0 ? "a" : "b"));
  add(pod("db").label("app", "db"), NodeId{3});
  kube::ProfilePlugins& plugins = configuration_.profiles[0].plugins;
  plugins.pre_score.enabled = {{"InterPodAffinity", 0}, {"PodTopologySpread", 0}};
  auto asker = pod("p").label("app", "web").prefers_near(9, pods_with("app", "db", "kubernetes.io/hostname"));
  // Keys and selectors that no pod has asked for before, so that counting them makes the counters grow.
  for (int i = 0; i < 40; ++i) {
    asker.spread(cluster::testing::spread_over(i == 0 ? testing::kZone : "kubernetes.io/hostname", i + 1,
                                               kube::UnsatisfiableAction::kScheduleAnyway,
                                               cluster::testing::selecting("app", "x" + std::to_string(i))));
  }
  const Decision decision = decide(add(asker), Detail::kFull);
  for (const ScoreColumn& column : decision.attempt.columns) {
    if (column.plugin != "InterPodAffinity") continue;
    std::vector<std::int64_t> by_node(6);
    for (std::size_t i = 0; i < 6; ++i) by_node[decision.attempt.feasible[i].index()] = column.scores[i];
    EXPECT_EQ(by_node, (Scores{0, 0, 0, 200, 0, 0}));
  }
}

}  // namespace
}  // namespace loadline::placement
