#include "recorded_decisions/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::recorded_decisions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The decision's message is that.
void tell(placement::Decision& decision, const std::string& message) {
  auto error = std::make_shared<placement::FitError>();
  error->error = message;
  decision.fit_error = std::move(error);
}

/// A recorded attempt on nodes n1, n2 and n3, and what we might have decided.
class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    for (const char* name : {"n1", "n2", "n3"}) {
      recorded_.node_names.emplace_back(name);
      cluster_.add_node(cluster::testing::node(name));
    }
    victim_ = cluster_.add_pod(cluster::testing::PodBuilder("victim"));
  }

  static cluster::NodeId n(std::size_t number) { return cluster::NodeId{number - 1}; }

  void record_scheduled_to_n1_or_n2() {
    attempt_.result = "scheduled";
    attempt_.max_nodes = {0, 1};
    attempt_.node = 0;
  }
  void record_failure_with_candidates_on_n1_and_n2() {
    attempt_.result = "unschedulable";
    attempt_.message = "no room";
    attempt_.unschedulable_plugins = {"NodeResourcesFit"};
    attempt_.preemption.emplace();
    attempt_.preemption->eligible = true;
    attempt_.preemption->candidates = {{0, {"default/victim"}, 0}, {1, {"default/victim"}, 1}};
    attempt_.preemption->best = {0};
  }

  static placement::Decision scheduled_to(cluster::NodeId node) {
    placement::Decision decision;
    decision.attempt.node = node;
    return decision;
  }
  [[nodiscard]] placement::Decision failed(std::size_t candidate, std::int64_t violations = 0) const {
    placement::Decision decision;
    tell(decision, "no room");
    decision.attempt.rejecting_plugins = {"NodeResourcesFit"};
    decision.preemption.candidates = {{n(candidate), {victim_}, violations}};
    decision.preemption.node = n(candidate);
    return decision;
  }

  /// What differs.
  std::vector<std::string> ordinary(const placement::Decision& ordinary, const placement::Decision& full,
                                    bool may_stop = false) {
    std::vector<Divergence> divergences;
    Comparison(recorded_, attempt_, cluster_, divergences).compare_ordinary(ordinary, full, may_stop);
    std::vector<std::string> what;
    for (const Divergence& divergence : divergences) what.push_back(divergence.what);
    return what;
  }

  RecordedCase recorded_;
  RecordedAttempt attempt_;
  cluster::Cluster cluster_;
  cluster::PodId victim_;
};

TEST_F(ComparisonTest, TheOrdinaryChoiceIsABestNodeAndTheFullOnes) {
  record_scheduled_to_n1_or_n2();
  EXPECT_THAT(ordinary(scheduled_to(n(2)), scheduled_to(n(2))), IsEmpty());
  EXPECT_THAT(ordinary(scheduled_to(n(1)), scheduled_to(n(2))),
              ElementsAre("ordinary decision: choice of the full one"));
  EXPECT_THAT(ordinary(scheduled_to(n(3)), scheduled_to(n(3))), ElementsAre("ordinary decision: choice"));
}

TEST_F(ComparisonTest, AmongNamedNodesATieMayGoToAnother) {
  record_scheduled_to_n1_or_n2();
  attempt_.pre_filter_nodes = {0, 1, 2};
  placement::Decision full = scheduled_to(n(2));
  full.attempt.best = {n(2), n(1)};
  EXPECT_THAT(ordinary(scheduled_to(n(1)), full), IsEmpty());
  full.attempt.best = {n(2)};
  EXPECT_THAT(ordinary(scheduled_to(n(1)), full), ElementsAre("ordinary decision: choice of the full one"));
}

TEST_F(ComparisonTest, ANominatedNodeThatFitsIsTheOnlyRightChoice) {
  record_scheduled_to_n1_or_n2();
  attempt_.chosen_is_max = false;
  attempt_.node = 2;
  EXPECT_THAT(ordinary(scheduled_to(n(3)), scheduled_to(n(3))), IsEmpty());
  EXPECT_THAT(ordinary(scheduled_to(n(1)), scheduled_to(n(1))), ElementsAre("ordinary decision: choice"));
}

TEST_F(ComparisonTest, ADifferentResultIsNoticed) {
  record_scheduled_to_n1_or_n2();
  placement::Decision failure;
  EXPECT_THAT(ordinary(failure, scheduled_to(n(1))), ElementsAre("ordinary decision: result"));
  failure.attempt.error = "boom";
  record_failure_with_candidates_on_n1_and_n2();
  EXPECT_THAT(ordinary(failure, failed(1)), ::testing::Contains("ordinary decision: result"));
}

TEST_F(ComparisonTest, AFailureHasTheRecordedWordsAndPlugins) {
  record_failure_with_candidates_on_n1_and_n2();
  EXPECT_THAT(ordinary(failed(1), failed(1)), IsEmpty());
  placement::Decision other = failed(1);
  tell(other, "no space");
  EXPECT_THAT(ordinary(other, failed(1)),
              ElementsAre("ordinary decision: message", "ordinary decision: message of the full one"));
  other = failed(1);
  other.attempt.rejecting_plugins.clear();
  EXPECT_THAT(ordinary(other, failed(1)), ElementsAre("ordinary decision: unschedulable plugins"));
}

TEST_F(ComparisonTest, VictimsAreThoseOfABestCandidate) {
  record_failure_with_candidates_on_n1_and_n2();
  EXPECT_THAT(ordinary(failed(2, 1), failed(2, 1)), ElementsAre("ordinary decision: preemption: outcome"));
  EXPECT_THAT(ordinary(failed(1, 1), failed(1)), ElementsAre("ordinary decision: preemption: outcome"));
  placement::Decision none = failed(1);
  none.preemption.candidates.clear();
  EXPECT_THAT(ordinary(none, failed(1)), ElementsAre("ordinary decision: preemption: node"));
  placement::Decision refused = failed(1);
  refused.preemption.ineligible = placement::Ineligible::kNever;
  EXPECT_THAT(ordinary(refused, failed(1)),
              ElementsAre("ordinary decision: preemption: eligible", "ordinary decision: preemption: why not"));
}

TEST_F(ComparisonTest, ASearchThatMayStopEarlyHasAnyRecordedCandidate) {
  record_failure_with_candidates_on_n1_and_n2();
  EXPECT_THAT(ordinary(failed(2, 1), failed(1), true), IsEmpty());
  EXPECT_THAT(ordinary(failed(3), failed(1), true), ElementsAre("ordinary decision: preemption: outcome"));
}

TEST_F(ComparisonTest, AnErrorOnNodesThatANominationSparesUsLeavesTheChoice) {
  record_scheduled_to_n1_or_n2();
  attempt_.chosen_is_max = false;
  attempt_.feasible = {0, 1};
  placement::Decision decision = scheduled_to(n(1));
  decision.attempt.error = "boom";
  std::vector<Divergence> divergences;
  Comparison comparison(recorded_, attempt_, cluster_, divergences);
  comparison.compare_in_full(decision, placement::RejectionTable());
  EXPECT_TRUE(divergences.empty()) << divergences.front().to_string();
  decision.attempt.node = n(2);
  comparison.compare_in_full(decision, placement::RejectionTable());
  ASSERT_EQ(divergences.size(), 1u);
  EXPECT_EQ(divergences.front().what, "choice");
}

TEST_F(ComparisonTest, ANominatedNodeThatPreFilterLeavesOutMayBeRefused) {
  attempt_.result = "unschedulable";
  attempt_.pre_filter_nodes = {0};
  attempt_.nominated_before = "n2";
  attempt_.infeasible = {{"NodeName", "UnschedulableAndUnresolvable", {"no"}, {0}}};
  placement::RejectionTable rejections;
  const placement::RejectionId no =
      rejections.intern({"NodeName", placement::Code::kUnresolvable, {{placement::ReasonKind::kOther, "no"}}});
  placement::Decision decision;
  decision.attempt.rejection_by_node = {no, no, placement::RejectionId{}};
  std::vector<Divergence> divergences;
  Comparison comparison(recorded_, attempt_, cluster_, divergences);
  comparison.compare_in_full(decision, rejections);
  EXPECT_TRUE(divergences.empty()) << divergences.front().to_string();
  decision.attempt.rejection_by_node[2] = no;
  comparison.compare_in_full(decision, rejections);
  ASSERT_EQ(divergences.size(), 1u);
  EXPECT_EQ(divergences.front().what, "refusal by n3");
}

TEST_F(ComparisonTest, OfAnErrorOnlyTheMessageIsCompared) {
  attempt_.result = "error";
  attempt_.message = "boom";
  attempt_.feasible = {0};
  placement::Decision decision;
  decision.attempt.error = "boom";
  tell(decision, "boom");
  decision.attempt.rejecting_plugins = {"NodeVolumeLimits"};
  std::vector<Divergence> divergences;
  Comparison comparison(recorded_, attempt_, cluster_, divergences);
  comparison.compare_in_full(decision, placement::RejectionTable());
  comparison.compare_ordinary(decision, decision, false);
  EXPECT_TRUE(divergences.empty()) << divergences.front().to_string();
  tell(decision, "bang");
  comparison.compare_in_full(decision, placement::RejectionTable());
  ASSERT_EQ(divergences.size(), 1u);
  EXPECT_EQ(divergences.front().what, "message");
}

TEST_F(ComparisonTest, APluginThatPreparesScoresAndGivesNoneMaySkip) {
  record_scheduled_to_n1_or_n2();
  attempt_.skipped_score = {"InterPodAffinity", "NodeAffinity"};
  placement::Decision decision = scheduled_to(n(1));
  decision.attempt.rejection_by_node.assign(3, placement::RejectionId{});
  decision.attempt.columns = {{"NodeAffinity", true, {}}, {"ImageLocality", false, {}}};
  const auto skips = [&] {
    std::vector<Divergence> divergences;
    Comparison(recorded_, attempt_, cluster_, divergences).compare_in_full(decision, placement::RejectionTable());
    return std::count_if(divergences.begin(), divergences.end(),
                         [](const Divergence& found) { return found.what == "skipped scores"; });
  };
  EXPECT_EQ(skips(), 0);
  decision.attempt.columns.front().skipped = false;
  EXPECT_EQ(skips(), 1);
}

TEST_F(ComparisonTest, TheRefusalOfThePodAsAWholeIsCompared) {
  record_failure_with_candidates_on_n1_and_n2();
  attempt_.preemption.reset();
  attempt_.pre_filter = {"VolumeZone", "UnschedulableAndUnresolvable", {"no such claim"}, {}};
  placement::Decision decision = failed(1);
  const auto differences = [&] {
    std::vector<Divergence> divergences;
    Comparison(recorded_, attempt_, cluster_, divergences).compare_in_full(decision, placement::RejectionTable());
    return divergences;
  };
  decision.attempt.pre_filter = {
      "VolumeZone", placement::Code::kUnresolvable, {{placement::ReasonKind::kOther, "no such claim"}}};
  EXPECT_THAT(differences(), IsEmpty());
  decision.attempt.pre_filter->plugin = "VolumeBinding";
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(differences().front().what, "refusal of the pod as a whole");
  EXPECT_EQ(differences().front().actual, "VolumeBinding UnschedulableAndUnresolvable [no such claim]");
}

TEST_F(ComparisonTest, RefusalsOfTheFullDecisionAreComparedNodeByNode) {
  attempt_.result = "unschedulable";
  attempt_.infeasible = {{"NodeResourcesFit", "Unschedulable", {"Insufficient cpu", "Too many pods"}, {0, 1}}};
  placement::RejectionTable rejections;
  const auto reject = [&](placement::Code code) {
    return rejections.intern(
        {"NodeResourcesFit",
         code,
         {{placement::ReasonKind::kTooManyPods, ""}, {placement::ReasonKind::kInsufficientResource, "cpu"}}});
  };
  placement::Decision decision;
  decision.attempt.rejection_by_node = {reject(placement::Code::kUnschedulable), reject(placement::Code::kUnresolvable),
                                        reject(placement::Code::kUnschedulable)};
  std::vector<Divergence> divergences;
  Comparison(recorded_, attempt_, cluster_, divergences).compare_in_full(decision, rejections);
  ASSERT_EQ(divergences.size(), 2u);
  EXPECT_EQ(divergences[0].what, "refusal by n2");
  EXPECT_EQ(divergences[0].actual, "NodeResourcesFit UnschedulableAndUnresolvable [Insufficient cpu, Too many pods]");
  EXPECT_EQ(divergences[1].what, "refusal by n3");
  EXPECT_EQ(divergences[1].expected, "");
}

}  // namespace
}  // namespace loadline::recorded_decisions
