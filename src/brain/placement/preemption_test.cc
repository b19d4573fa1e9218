#include "brain/placement/preemption.h"

#include <limits>

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::pods_with;
using cluster::testing::selecting;
using cluster::testing::spread_over;

using Texts = std::vector<std::string>;

struct PreemptionTest : testing::PlacementFixture {
  /// A pod that runs: its cpus, priority and second of start.
  PodId runs(const std::string& name, NodeId where, int cpus, std::int32_t priority, std::int64_t started = 0) {
    return add(running(name, cpus, priority, started), where);
  }
  static PodBuilder running(const std::string& name, int cpus, std::int32_t priority, std::int64_t started = 0) {
    return pod(name).label("app", name).request("cpu", std::to_string(cpus)).priority(priority).started(started);
  }
  static PodBuilder wanting(int cpus, std::int32_t priority = 100) {
    return pod("preemptor").request("cpu", std::to_string(cpus)).priority(priority);
  }

  void guard(const std::string& app, std::int32_t allowed, const std::string& disrupted = "") {
    kube::PodDisruptionBudget budget;
    budget.metadata.namespace_ = "default";
    budget.selector = selecting("app", app);
    if (!disrupted.empty()) budget.disrupted_pods[disrupted] = Instant{};
    add_budget(budget, allowed);
  }

  void add_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed) {
    std::vector<cluster::DisruptionBudget> budgets = cluster_.budgets();
    budgets.push_back(cluster::compile_budget(budget, allowed, cluster_.symbols()));
    cluster_.set_budgets(std::move(budgets));
  }

  [[nodiscard]] std::string name(PodId id) const { return cluster_.pod_name(id); }
  /// "node: victims", the most important first.
  [[nodiscard]] Texts outcome(const Preemption& preemption) const {
    if (!preemption.node.valid()) return {};
    Texts texts = {std::string(cluster_.node_name(preemption.node))};
    for (const PodId victim : preemption.chosen()->victims) texts.push_back(name(victim));
    return texts;
  }
  Texts preempt(const PodBuilder& preemptor) {
    const Decision decision = decide(add(preemptor));
    EXPECT_FALSE(decision.attempt.scheduled());
    return outcome(decision.preemption);
  }
};

// ---- victims --------------------------------------------------------------------------------------------------------

TEST_F(PreemptionTest, TheMostImportantPodsThatCanStayDoStay) {
  const auto n = add(node("n"));
  runs("low", n, 1, 1);
  runs("middle", n, 1, 2);
  runs("high", n, 2, 3);
  EXPECT_EQ(preempt(wanting(1)), (Texts{"n", "low"}));
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "middle", "low"}));
  EXPECT_EQ(preempt(wanting(3)), (Texts{"n", "high", "low"}));  // the one in between fits again
  EXPECT_EQ(preempt(wanting(4)), (Texts{"n", "high", "middle", "low"}));
}

TEST_F(PreemptionTest, AmongEqualsTheOneThatHasRunLongestStays) {
  const auto n = add(node("n"));
  runs("young", n, 2, 1, 20);
  runs("old", n, 2, 1, 10);
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "young"}));
}

TEST_F(PreemptionTest, PodsOfEqualOrHigherPriorityAreNoVictims) {
  const auto n = add(node("n"));
  runs("equal", n, 2, 100);
  runs("low", n, 2, 1);
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "low"}));
  EXPECT_EQ(preempt(wanting(3)), Texts{});
}

TEST_F(PreemptionTest, NodesThatNoEvictionHelpsAreNotTried) {
  const auto tainted = add(node("tainted").taint("a", kube::TaintEffect::kNoSchedule));
  const auto small = add(node("small").allocatable("cpu", "2"));
  runs("one", tainted, 4, 1);
  runs("two", small, 2, 1);
  const Decision decision = decide(wanting(3));
  EXPECT_TRUE(decision.preemption.candidates.empty());
  ASSERT_EQ(decision.preemption.rejections.size(), 1U);
  EXPECT_EQ(decision.preemption.rejections[0].nodes, 2U);
  EXPECT_EQ(text(decision.preemption.rejections[0].rejection, scheduler().rejections()),
            "Preemption is not helpful for scheduling (unresolvable)");
}

TEST_F(PreemptionTest, AVictimThatThePodWantsAsCompanyCannotBeEvicted) {
  const auto n = add(node("n"));
  runs("db", n, 4, 1);
  EXPECT_EQ(preempt(wanting(2).near(pods_with("app", "db", "kubernetes.io/hostname"))), Texts{});
}

TEST_F(PreemptionTest, AntiAffinityIsResolvedByEvictingWhomItShuns) {
  const auto n = add(node("n"));
  runs("noisy", n, 1, 1);
  runs("quiet", n, 1, 0);
  EXPECT_EQ(preempt(wanting(1).away_from(pods_with("app", "noisy", "kubernetes.io/hostname"))), (Texts{"n", "noisy"}));
}

TEST_F(PreemptionTest, SkewIsResolvedByEvictingFromTheFullDomain) {
  const auto a = add(node("a").zone("a"));
  add(node("b").zone("b").allocatable("cpu", "1"));
  runs("web", a, 1, 1);
  const auto spread =
      spread_over("topology.kubernetes.io/zone", 1, kube::UnsatisfiableAction::kDoNotSchedule, selecting("app", "web"));
  EXPECT_EQ(preempt(wanting(2).label("app", "web").spread(spread)), (Texts{"a", "web"}));
}

TEST_F(PreemptionTest, HostPortsAreFreedByEvictingThePodThatHoldsThem) {
  const auto n = add(node("n"));
  add(running("holder", 1, 1).host_port(80), n);
  runs("other", n, 1, 0);
  EXPECT_EQ(preempt(wanting(1).host_port(80)), (Texts{"n", "holder"}));
}

// ---- pods that may preempt ------------------------------------------------------------------------------------------

TEST_F(PreemptionTest, APodThatMayNeverPreemptEvictsNoPod) {
  const auto n = add(node("n"));
  runs("low", n, 4, 1);
  const Decision decision = decide(wanting(2).never_preempts());
  EXPECT_TRUE(decision.preemption.attempted);
  EXPECT_TRUE(decision.preemption.ineligible);
  EXPECT_TRUE(decision.preemption.candidates.empty());
}

TEST_F(PreemptionTest, APodWaitsWhileItsVictimsLeaveTheNodeItIsNominatedTo) {
  const auto n = add(node("n"));
  const auto m = add(node("m"));
  const PodId victim = runs("victim", n, 4, 1);
  runs("next", m, 4, 1);
  const PodId preemptor = add(wanting(2));
  cluster_.nominate(preemptor, n);
  cluster_.set_terminating(victim, false);  // another client deletes it
  EXPECT_FALSE(decide(preemptor).preemption.ineligible);
  cluster_.set_terminating(victim, true);
  const Decision waiting = decide(preemptor);
  EXPECT_TRUE(waiting.preemption.ineligible);
  EXPECT_EQ(waiting.preemption.ineligible, Ineligible::kVictimsLeaving);
  // Once nothing there can help it any more, it looks elsewhere.
  cluster_.update_node(n, node("n").cordoned());
  EXPECT_EQ(outcome(decide(preemptor).preemption), (Texts{"m", "next"}));
}

// ---- disruption budgets ---------------------------------------------------------------------------------------------

TEST_F(PreemptionTest, PodsWhoseBudgetIsSpentAreLetBackFirst) {
  const auto n = add(node("n"));
  runs("guarded", n, 2, 1);
  runs("free", n, 2, 2);
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "guarded"}));
  guard("guarded", 0);
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "free"}));
  const Decision decision = decide(wanting(4));
  EXPECT_EQ(outcome(decision.preemption), (Texts{"n", "free", "guarded"}));
  EXPECT_EQ(decision.preemption.chosen()->budget_violations, 1);
}

TEST_F(PreemptionTest, ABudgetIsDrawnOnInOrderOfImportance) {
  const auto n = add(node("n"));
  add(running("first", 2, 2).label("app", "web"), n);
  add(running("second", 2, 1).label("app", "web"), n);
  guard("web", 1);
  // The first may go, the second would be one too many and is therefore let back first.
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "first"}));
  const Decision decision = decide(wanting(4));
  EXPECT_EQ(decision.preemption.chosen()->budget_violations, 1);
}

TEST_F(PreemptionTest, BudgetsOfOtherNamespacesEmptySelectorsAndCountedPodsDoNotGuard) {
  const auto n = add(node("n"));
  runs("low", n, 2, 1);
  runs("high", n, 2, 2);
  guard("low", 0, "low");  // its disruption is already counted
  kube::PodDisruptionBudget everything;
  everything.metadata.namespace_ = "default";
  everything.selector = kube::LabelSelector{};
  kube::PodDisruptionBudget elsewhere = everything;
  elsewhere.metadata.namespace_ = "other";
  elsewhere.selector = selecting("app", "low");
  for (const auto& budget : {everything, elsewhere}) {
    add_budget(budget, 0);
  }
  EXPECT_EQ(preempt(wanting(2)), (Texts{"n", "low"}));
}

// ---- ranking --------------------------------------------------------------------------------------------------------

TEST_F(PreemptionTest, FewestBudgetViolationsComeFirst) {
  const auto guarded = add(node("guarded"));
  const auto important = add(node("important"));
  runs("guarded", guarded, 4, 1);
  runs("important", important, 4, 50);
  guard("guarded", 0);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"important", "important"}));
}

TEST_F(PreemptionTest, ThenTheLeastImportantTopVictim) {
  const auto one = add(node("one"));
  const auto many = add(node("many"));
  runs("one", one, 4, 5);
  for (const char* name : {"a", "b", "c", "d"}) runs(name, many, 1, 4);
  EXPECT_EQ(preempt(wanting(4)).front(), "many");
}

TEST_F(PreemptionTest, ThenTheSmallestSumOfPriorities) {
  const auto more = add(node("more"));
  const auto less = add(node("less"));
  runs("a", more, 2, 5);
  runs("b", more, 2, 4);
  runs("c", less, 2, 5);
  runs("d", less, 2, 1);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"less", "c", "d"}));
}

TEST_F(PreemptionTest, FewVictimsBeatManyEvenOfNegativePriority) {
  const auto many = add(node("many"));
  const auto few = add(node("few"));
  for (const char* name : {"a", "b"}) runs(name, many, 2, -10);
  runs("c", few, 4, -10);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"few", "c"}));
}

TEST_F(PreemptionTest, ThenTheFewestVictims) {
  // Sums are equal only if priorities reach −2³¹, where a victim weighs nothing.
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  const auto many = add(node("many"));
  const auto few = add(node("few"));
  runs("a", many, 2, 5);
  runs("b", many, 2, kLeast);
  runs("c", few, 4, 5);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"few", "c"}));
}

TEST_F(PreemptionTest, ThenTheLatestStartAmongTheMostImportantVictims) {
  const auto old = add(node("old"));
  const auto young = add(node("young"));
  runs("a", old, 2, 5, 10);
  runs("b", old, 2, 5, 90);
  runs("c", young, 2, 5, 20);
  runs("d", young, 2, 5, 30);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"young", "c", "d"}));
}

TEST_F(PreemptionTest, LessImportantVictimsStartsDoNotMatter) {
  const auto one = add(node("one"));
  const auto two = add(node("two"));
  runs("a", one, 2, 5, 20);
  runs("b", one, 2, 4, 90);
  runs("c", two, 2, 5, 30);
  runs("d", two, 2, 4, 1);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"two", "c", "d"}));
}

TEST_F(PreemptionTest, ThenTheFirstInScanOrderAndAllEqualsAreKnown) {
  for (const char* name : {"n0", "n1", "n2"}) runs("victim", add(node(name)), 4, 1, 5);
  const PodId preemptor = add(wanting(4));
  EXPECT_EQ(decide(preemptor).preemption.node, NodeId{0});
  EXPECT_EQ(decide(preemptor, Detail::kFull).preemption.best, (std::vector<NodeId>{NodeId{0}, NodeId{1}, NodeId{2}}));
}

// ---- how far to search ----------------------------------------------------------------------------------------------

TEST_F(PreemptionTest, ASearchAnewEndsWithEnoughCandidatesUnlessAskedForAll) {
  kube::DefaultPreemptionArgs& args = configuration_.profiles[0].args.preemption;
  args.min_candidate_nodes_percentage = 0;
  args.min_candidate_nodes_absolute = 2;
  for (int i = 0; i < 5; ++i) runs("v" + std::to_string(i), add(node("n" + std::to_string(i))), 4, 9 - i);
  const PodId preemptor = add(wanting(4));
  EXPECT_EQ(outcome(decide(preemptor, Detail::kFull).preemption), (Texts{"n1", "v1"}));
  EXPECT_EQ(outcome(decide(preemptor, Detail::kFull, Search::kEveryNode).preemption), (Texts{"n4", "v4"}));
}

TEST_F(PreemptionTest, WhereDryRunsAreRememberedAllCandidatesAreConsidered) {
  kube::DefaultPreemptionArgs& args = configuration_.profiles[0].args.preemption;
  args.min_candidate_nodes_percentage = 0;
  args.min_candidate_nodes_absolute = 2;
  for (int i = 0; i < 5; ++i) runs("v" + std::to_string(i), add(node("n" + std::to_string(i))), 4, 9 - i);
  const PodId preemptor = add(wanting(4));
  EXPECT_EQ(outcome(decide(preemptor).preemption), (Texts{"n4", "v4"}));
  EXPECT_EQ(outcome(decide(preemptor).preemption), (Texts{"n4", "v4"}));
}

TEST_F(PreemptionTest, ThePolicySaysHowManyNodesAreTried) {
  kube::DefaultPreemptionArgs& args = configuration_.profiles[0].args.preemption;
  args.min_candidate_nodes_percentage = 0;
  args.min_candidate_nodes_absolute = 2;
  for (int i = 0; i < 5; ++i) runs("v" + std::to_string(i), add(node("n" + std::to_string(i))), 4, 9 - i);
  const PodId preemptor = add(wanting(4));
  const auto choices = [&](PreemptionCandidates candidates) {
    scheduler().set_switches({.preemption_candidates = candidates});
    return std::vector<Texts>{outcome(decide(preemptor).preemption),
                              outcome(decide(preemptor, Detail::kFull).preemption)};
  };
  const Texts second = {"n1", "v1"};
  const Texts last = {"n4", "v4"};
  EXPECT_EQ(choices(PreemptionCandidates::kAsConfigured), (std::vector<Texts>{second, second}));
  EXPECT_EQ(choices(PreemptionCandidates::kAllRemembered), (std::vector<Texts>{last, second}));
  EXPECT_EQ(choices(PreemptionCandidates::kAll), (std::vector<Texts>{last, last}));
}

TEST_F(PreemptionTest, TheSearchGoesOnUntilSomeCandidateHarmsNoBudget) {
  configuration_.profiles[0].args.preemption.min_candidate_nodes_absolute = 1;
  for (const char* name : {"n0", "n1", "n2"}) {
    const auto where = add(node(name));
    runs(std::string("v-") + name, where, 4, 1);
  }
  guard("v-n0", 0);
  guard("v-n1", 0);
  EXPECT_EQ(preempt(wanting(4)), (Texts{"n2", "v-n2"}));
}

TEST_F(PreemptionTest, WhatOthersSeeOnANodeIsNotWhatItsNomineeSees) {
  const NodeId full = add(node("n0").allocatable("pods", "0"));
  const PodId nominee = add(pod("nominee").host_port(80));
  cluster_.nominate(nominee, full);
  // To the other one the nominee's port is taken, which an eviction might cure, were there a pod to evict.
  decide(add(pod("other").host_port(80)));
  EXPECT_EQ(placement::text(decide(nominee)), placement::text(decide(nominee, Detail::kFull)));
}

// ---- no trace -------------------------------------------------------------------------------------------------------

TEST_F(PreemptionTest, TheClusterIsAsBefore) {
  const auto n = add(node("n").zone("a"));
  const auto m = add(node("m").zone("b"));
  std::vector<PodId> on_n;
  for (const char* name : {"a", "b", "c", "d"}) on_n.push_back(runs(name, n, 1, name[0] - 'a'));
  const PodId on_m = add(running("e", 4, 50).away_from(pods_with("app", "web", "topology.kubernetes.io/zone")), m);
  cluster_.nominate(add(pod("nominee").request("cpu", "1").priority(200)), n);
  const auto spread =
      spread_over("topology.kubernetes.io/zone", 1, kube::UnsatisfiableAction::kDoNotSchedule, selecting("app", "web"));
  EXPECT_EQ(preempt(wanting(2).label("app", "web").spread(spread)).front(), "n");
  EXPECT_EQ(cluster_.pods_on(n), on_n);
  EXPECT_EQ(cluster_.pods_on(m), std::vector<PodId>{on_m});
  EXPECT_EQ(cluster_.requested(n, cluster::kCpu), 4000);
  EXPECT_EQ(cluster_.requested(m, cluster::kCpu), 4000);
}

}  // namespace
}  // namespace loadline::placement
