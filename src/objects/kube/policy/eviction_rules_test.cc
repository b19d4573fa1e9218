#include "objects/kube/policy/eviction_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace loadline::kube {
namespace {

using Reason = EvictionRefusal::Reason;
using Policy = UnhealthyPodEvictionPolicy;

constexpr PodToEvict kReady;
constexpr PodToEvict kUnready{.is_ready = false};
constexpr PodToEvict kPending{.phase = PodPhase::kPending, .is_ready = false};

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::kSeveralBudgets:
      return "several budgets";
    case Reason::kNotObserved:
      return "not observed";
    case Reason::kNegativeAllowance:
      return "negative allowance";
    case Reason::kTooManyDisruptedPods:
      return "too many disrupted pods";
    case Reason::kTooFewDisruptions:
      return "too few disruptions";
  }
  return {};
}

/// "goes", "goes, 0: 2" for two disruptions of budget 0, or why not.
std::string answer(const std::vector<CoveredPod>& pods, const std::vector<BudgetState>& budgets) {
  const auto answer = answer_eviction(pods, [&](std::size_t budget) { return budgets.at(budget); });
  if (!answer) {
    const EvictionRefusal& refusal = answer.error();
    if (refusal.reason == Reason::kSeveralBudgets) return "pod " + std::to_string(refusal.pod) + ": several budgets";
    return "budget " + std::to_string(refusal.budget) + ": " + std::string(reason_name(refusal.reason)) + ", " +
           std::to_string(refusal.allowed) + " of " + std::to_string(refusal.wanted);
  }
  std::string text = "goes";
  for (const auto& [budget, count] : *answer) text += ", " + std::to_string(budget) + ": " + std::to_string(count);
  return text;
}

std::string answer(const PodToEvict& pod, const BudgetState& budget) { return answer({{pod, {0}}}, {budget}); }

TEST(EvictionRules, NoBudgetIsAskedAboutPodsThatAreOverOrNeverRan) {
  const auto never = [](std::size_t /*budget*/) -> BudgetState {
    ADD_FAILURE() << "a budget is asked";
    return {};
  };
  for (const PodPhase phase : {PodPhase::kPending, PodPhase::kSucceeded, PodPhase::kFailed}) {
    for (const bool is_ready : {false, true}) {
      const CoveredPod pod{{.phase = phase, .is_ready = is_ready}, {0, 1}};
      EXPECT_TRUE(is_beyond_budgets(pod.pod));
      EXPECT_EQ(answer_eviction({&pod, 1}, never), BudgetDraws());
    }
  }
  const CoveredPod leaving{{.is_being_deleted = true}, {0, 1}};
  EXPECT_EQ(answer_eviction({&leaving, 1}, never), BudgetDraws());
  EXPECT_FALSE(is_beyond_budgets(kReady));
  EXPECT_FALSE(is_beyond_budgets({.phase = PodPhase::kUnknown}));
}

TEST(EvictionRules, ARefusalIsToldInWords) {
  const RefusalNames names{.budgets = {"ml/a", "ml/b"}};
  const auto told = [&](Reason reason, std::int64_t wanted, std::int64_t allowed, const BudgetState& state = {}) {
    return refusal_text({.reason = reason, .wanted = wanted, .allowed = allowed}, names, state);
  };
  EXPECT_EQ(told(Reason::kSeveralBudgets, 1, 0),
            "the pod has more than one PodDisruptionBudget (ml/a, ml/b), which the eviction API does not support");
  EXPECT_EQ(told(Reason::kNotObserved, 1, 0),
            "PodDisruptionBudget ml/a has changed, and its controller has not counted it since");
  EXPECT_EQ(told(Reason::kTooManyDisruptedPods, 1, 5),
            "PodDisruptionBudget ml/a has too many evictions that its controller has not confirmed");
  EXPECT_EQ(told(Reason::kTooFewDisruptions, 2, 1), "PodDisruptionBudget ml/a allows 1 of 2 disruptions");
  EXPECT_EQ(told(Reason::kNegativeAllowance, 1, -1), "PodDisruptionBudget ml/a allows no disruption");
  BudgetState counted{.current_healthy = 1, .desired_healthy = 1};
  counted.is_countable = true;
  EXPECT_EQ(told(Reason::kTooFewDisruptions, 1, 0, counted), "PodDisruptionBudget ml/a needs 1 healthy pod and has 1");
  counted.is_countable = false;
  EXPECT_EQ(told(Reason::kTooFewDisruptions, 1, 0, counted),
            "PodDisruptionBudget ml/a allows no disruption: not every pod it covers has a controller with replicas");
}

TEST(EvictionRules, APodGoesWithoutBudgetAndStaysWithSeveral) {
  const BudgetState generous{.policy = Policy::kAlwaysAllow, .allowed = 5};
  EXPECT_EQ(answer({{kReady, {}}}, {}), "goes");
  EXPECT_EQ(answer({{kReady, {0, 1}}}, {generous, generous}), "pod 0: several budgets");
  EXPECT_EQ(answer({{kUnready, {0, 1}}}, {generous, generous}), "pod 0: several budgets");
}

TEST(EvictionRules, AnUnreadyPodGoesIfItsBudgetSaysSoOrTheOthersAreWell) {
  struct Case {
    BudgetState budget;
    std::string ready;
    std::string unready;
  };
  const std::string stays = "budget 0: too few disruptions, 0 of 1";
  const Case cases[] = {
      {{}, stays, stays},
      {{.current_healthy = 0, .desired_healthy = 0}, stays, stays},  // what was never counted is not well
      {{.current_healthy = 1, .desired_healthy = 2}, stays, stays},
      {{.current_healthy = 2, .desired_healthy = 2}, stays, "goes"},
      {{.current_healthy = 3, .desired_healthy = 2}, stays, "goes"},
      {{.allowed = 1, .current_healthy = 3, .desired_healthy = 2}, "goes, 0: 1", "goes"},
      {{.allowed = 1, .current_healthy = 1, .desired_healthy = 2}, "goes, 0: 1", "goes, 0: 1"},
      {{.policy = Policy::kAlwaysAllow}, stays, "goes"},
      {{.policy = Policy::kAlwaysAllow, .current_healthy = 1, .desired_healthy = 2}, stays, "goes"},
      {{.policy = Policy::kAlwaysAllow, .allowed = 1}, "goes, 0: 1", "goes"},
      // The policy comes before the generation, and before what else a budget refuses by.
      {{.policy = Policy::kAlwaysAllow, .is_observed = false}, "budget 0: not observed, 0 of 1", "goes"},
      {{.is_observed = false, .current_healthy = 2, .desired_healthy = 2}, "budget 0: not observed, 0 of 1", "goes"},
      {{.policy = Policy::kAlwaysAllow, .allowed = -1}, "budget 0: negative allowance, -1 of 1", "goes"},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(answer(kReady, cases[i].budget), cases[i].ready) << i;
    EXPECT_EQ(answer(kUnready, cases[i].budget), cases[i].unready) << i;
  }
}

TEST(EvictionRules, ABudgetRefusesInUpstreamsOrder) {
  BudgetState budget{.is_observed = false, .allowed = -1, .disrupted_pods = kMostDisruptedPods + 1};
  EXPECT_EQ(answer(kReady, budget), "budget 0: not observed, -1 of 1");
  budget.is_observed = true;
  EXPECT_EQ(answer(kReady, budget), "budget 0: negative allowance, -1 of 1");
  budget.allowed = 0;
  EXPECT_EQ(answer(kReady, budget), "budget 0: too many disrupted pods, 0 of 1");
  budget.disrupted_pods = kMostDisruptedPods;
  EXPECT_EQ(answer(kReady, budget), "budget 0: too few disruptions, 0 of 1");
  budget.allowed = 1;
  EXPECT_EQ(answer(kReady, budget), "goes, 0: 1");
}

TEST(EvictionRules, PodsThatLeaveTogetherNeedADisruptionEachIfTheyDrawOnTheBudget) {
  const CoveredPod ready{kReady, {0}};
  const CoveredPod unready{kUnready, {0}};
  const CoveredPod pending{kPending, {0}};
  const CoveredPod other{kReady, {1}};
  const BudgetState two{.allowed = 2, .current_healthy = 4, .desired_healthy = 2};
  const BudgetState none{.current_healthy = 1, .desired_healthy = 1};
  EXPECT_EQ(answer(std::vector<CoveredPod>(), {}), "goes");
  EXPECT_EQ(answer({ready, ready}, {two}), "goes, 0: 2");
  EXPECT_EQ(answer({ready, unready, ready, pending}, {two}), "goes, 0: 2");
  EXPECT_EQ(answer({ready, ready, ready}, {two}), "budget 0: too few disruptions, 2 of 3");
  EXPECT_EQ(answer({unready, pending}, {none}), "goes");
  EXPECT_EQ(answer({ready, other}, {two, none}), "budget 1: too few disruptions, 0 of 1");
  EXPECT_EQ(answer({ready, other}, {two, two}), "goes, 0: 1, 1: 1");
  EXPECT_EQ(answer({other, {kReady, {0, 1}}}, {two, none}), "pod 1: several budgets");
}

TEST(EvictionRules, ReadsWhatObjectsSay) {
  Pod pod;
  pod.status.phase = PodPhase::kRunning;
  EXPECT_FALSE(pod_to_evict(pod).is_ready);
  EXPECT_FALSE(is_beyond_budgets(pod_to_evict(pod)));
  pod.status.conditions = {{"Ready", "True", "", ""}};
  EXPECT_TRUE(pod_to_evict(pod).is_ready);
  pod.metadata.deletion_timestamp = Instant();
  EXPECT_TRUE(is_beyond_budgets(pod_to_evict(pod)));

  PodDisruptionBudget budget;
  budget.metadata.generation = 2;
  budget.observed_generation = 1;
  EXPECT_FALSE(budget_state(budget).is_observed);
  EXPECT_EQ(budget_state(budget).policy, Policy::kIfHealthyBudget);
  EXPECT_EQ(budget_state(budget).allowed, 0);
  budget.observed_generation = 2;
  budget.unhealthy_pod_eviction_policy = Policy::kAlwaysAllow;
  budget.disruptions_allowed = 3;
  budget.current_healthy = 5;
  budget.desired_healthy = 2;
  budget.disrupted_pods = {{"p", Instant()}};
  const BudgetState state = budget_state(budget);
  EXPECT_TRUE(state.is_observed);
  EXPECT_EQ(state.policy, Policy::kAlwaysAllow);
  EXPECT_EQ(state.allowed, 3);
  EXPECT_EQ(state.current_healthy, 5);
  EXPECT_EQ(state.desired_healthy, 2);
  EXPECT_EQ(state.disrupted_pods, 1U);
}

}  // namespace
}  // namespace loadline::kube
