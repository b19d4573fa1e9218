#include "brain/queue/kueue/flavor_assigner.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using kube::FlavorPreference;
using testing::QueueBuilder;
using testing::QueuePreemptionPolicy;
using testing::WorkloadBuilder;
using testing::World;
using ReasonCode = FlavorReason::Code;

/// The decision of one round about one workload.
Decision decide(World& world, const kube::KueueWorkload& workload) {
  const WorkloadId id = world.submit(workload);
  Round round = world.round();
  const auto found = std::ranges::find(round.decisions, id, &Decision::workload);
  EXPECT_NE(found, round.decisions.end());
  return std::move(*found);
}

std::string outcome(World& world, const kube::KueueWorkload& workload) { return world.say(decide(world, workload)); }

TEST(FlavorAssigner, TakesTheFirstFlavorThatFits) {
  World world;
  world.add(QueueBuilder("q").quota("a", "2").quota("b", "5"));
  EXPECT_EQ(outcome(world, WorkloadBuilder("w1", "q").gpus("2")), "admitted a");
  EXPECT_EQ(outcome(world, WorkloadBuilder("w2", "q").gpus("4")), "admitted b");
  const Decision none = decide(world, WorkloadBuilder("w3", "q").gpus("3"));
  EXPECT_EQ(world.say(none), "no victims");
  const std::vector<FlavorReason>& reasons = none.assignment.pod_sets.at(0).reasons;
  ASSERT_EQ(reasons.size(), 2);
  EXPECT_EQ(reasons[0].code, ReasonCode::kExceedsMaximum);
  EXPECT_EQ(reasons[0].amount, Amount(2));
  EXPECT_EQ(reasons[1].code, ReasonCode::kLacksUnused);
  EXPECT_EQ(reasons[1].amount, Amount(2));
}

TEST(FlavorAssigner, TakesOneFlavorForAllResourcesOfAGroup) {
  World world;
  world.add(QueueBuilder("q").quotas("a", {{"cpu", "1"}, {"gpu", "8"}}).quotas("b", {{"cpu", "8"}, {"gpu", "8"}}));
  EXPECT_EQ(outcome(world, WorkloadBuilder("w", "q").pods(1, {{"cpu", "2"}, {"gpu", "1"}})), "admitted b b");
}

TEST(FlavorAssigner, TakesFlavorsOfGroupsByThemselves) {
  World world;
  world.add(
      QueueBuilder("q").quotas("a", {{"cpu", "1"}}).quotas("b", {{"cpu", "8"}}).group().quotas("c", {{"gpu", "8"}}));
  EXPECT_EQ(outcome(world, WorkloadBuilder("w", "q").pods(1, {{"cpu", "2"}, {"gpu", "1"}})), "admitted b c");
}

/// Of the names' hashes: nvidia.com/gpu comes before cpu.
TEST(FlavorAssigner, BlamesTheGroupWhoseResourceComesFirstInTheOrderOfHashes) {
  World world;
  world.add(QueueBuilder("q").quotas("a", {{"cpu", "1"}}).group().quotas("b", {{"nvidia.com/gpu", "1"}}));
  const Decision it = decide(world, WorkloadBuilder("w", "q").pods(1, {{"cpu", "2"}, {"nvidia.com/gpu", "2"}}));
  const std::vector<FlavorReason>& reasons = it.assignment.pod_sets.at(0).reasons;
  ASSERT_EQ(reasons.size(), 1);
  EXPECT_EQ(world.flavor_name(reasons[0].flavor), "b");
}

TEST(FlavorAssigner, GivesFlavorsToThoseBehindAPodSetThatNeedsNone) {
  World world;
  world.add(QueueBuilder("q").quota("a", "5"));
  WorkloadBuilder workload("w", "q");
  workload.pods(1, {{"example.com/other", "0"}}, "one").pods(1, {{"gpu", "3"}}, "two");
  EXPECT_EQ(outcome(world, workload), "admitted a");
}

/// Where it would go on there is nothing any more.
TEST(FlavorAssigner, BeginsAnewWhereItsQueueHasLostTheFlavorsBehind) {
  World world;
  world.add(QueueBuilder("q").quota("a", "1").quota("b", "3").quota("c", "3"));
  WorkloadBuilder workload("w", "q");
  workload.pods(1, {{"gpu", "2"}}, "one").pods(1, {{"tpu", "1"}}, "two");
  EXPECT_EQ(outcome(world, workload), "no fit");
  EXPECT_TRUE(world.scheduler.workloads().at(WorkloadId(0)).progress->has_more());
  world.add(QueueBuilder("q").quotas("a", {{"gpu", "4"}, {"tpu", "1"}}).quotas("b", {{"gpu", "1"}, {"tpu", "1"}}));
  EXPECT_EQ(world.say(world.round().decisions.at(0)), "admitted a a");
}

/// One resource would fit by borrowing, the other one needs victims, of whom there are none.
TEST(FlavorAssigner, TellsWhatIsLackingThoughAnotherResourceRanksBehindIt) {
  World world;
  world.add(QueueBuilder("q")
                .cohort("C")
                .reclaim(QueuePreemptionPolicy::kAny)
                .fungibility(true, true, FlavorPreference::kPreemptionOverBorrowing)
                .quotas("a", {{"cpu", "1"}, {"gpu", "4"}}));
  world.add(QueueBuilder("other").cohort("C").quotas("a", {{"cpu", "9"}, {"gpu", "0"}}));
  world.run(WorkloadBuilder("lent", "other").pods(1, {{"gpu", "1"}}));
  const Decision it = decide(world, WorkloadBuilder("w", "q").pods(1, {{"cpu", "2"}, {"gpu", "4"}}));
  EXPECT_EQ(world.say(it), "no victims");
  const std::vector<FlavorReason>& reasons = it.assignment.pod_sets.at(0).reasons;
  ASSERT_EQ(reasons.size(), 1);
  EXPECT_EQ(reasons[0].code, ReasonCode::kLacksUnused);
}

TEST(FlavorAssigner, CountsEarlierPodSetsOfTheWorkload) {
  World world;
  world.add(QueueBuilder("q").quota("a", "5").quota("b", "5"));
  WorkloadBuilder workload("w", "q");
  workload.pods(1, {{"gpu", "3"}}, "one").pods(1, {{"gpu", "3"}}, "two");
  EXPECT_EQ(outcome(world, workload), "admitted a b");
}

TEST(FlavorAssigner, GivesPodSetsOfOneGroupOneFlavor) {
  World world;
  world.add(QueueBuilder("q").quota("a", "5").quota("b", "6"));
  WorkloadBuilder workload("w", "q");
  workload.pods(1, {{"gpu", "3"}}, "one").pods(1, {{"gpu", "3"}}, "two");
  for (kube::PodSet& set : workload.object().pod_sets) set.topology_request.emplace().group_name = "together";
  EXPECT_EQ(outcome(world, workload), "admitted b b");
}

TEST(FlavorAssigner, CountsPodsWhereTheQueueDoes) {
  World world;
  world.add(QueueBuilder("q").quotas("a", {{"gpu", "10"}, {"pods", "3"}}));
  EXPECT_EQ(outcome(world, WorkloadBuilder("w", "q").pods(4, {{"gpu", "1"}})), "no fit");
  EXPECT_EQ(outcome(world, WorkloadBuilder("v", "q").pods(3, {{"gpu", "1"}})), "admitted a a");
  EXPECT_EQ(world.used("q", "pods", "a"), 3);
}

TEST(FlavorAssigner, RefusesWhatTheQueueDoesNotDeclareUnlessItIsNothing) {
  World world;
  world.add(QueueBuilder("q").quota("a", "10"));
  const Decision none = decide(world, WorkloadBuilder("w", "q").pods(1, {{"gpu", "1"}, {"tpu", "1"}}));
  EXPECT_EQ(world.say(none), "no fit");
  ASSERT_EQ(none.assignment.pod_sets.at(0).reasons.size(), 1);
  EXPECT_EQ(none.assignment.pod_sets[0].reasons[0].code, ReasonCode::kUndeclared);
  EXPECT_EQ(outcome(world, WorkloadBuilder("v", "q").pods(1, {{"gpu", "1"}, {"tpu", "0"}})), "admitted a");
}

TEST(FlavorAssigner, IgnoresUndeclaredResourcesIfItIsToldTo) {
  Settings settings;
  settings.quota_check = kube::QuotaCheckStrategy::kIgnoreUndeclared;
  World world(settings);
  world.add(QueueBuilder("q").quota("a", "10"));
  EXPECT_EQ(outcome(world, WorkloadBuilder("w", "q").pods(1, {{"gpu", "1"}, {"tpu", "1"}})), "admitted a");
  EXPECT_EQ(outcome(world, WorkloadBuilder("v", "q").pods(1, {{"tpu", "1"}})), "admitted");
}

TEST(FlavorAssigner, PassesOverFlavorsThatDoNotTakeThePods) {
  World world;
  world.add(testing::flavor("a", {{"zone", "1"}})).add(testing::flavor("b", {{"zone", "2"}}));
  world.add(QueueBuilder("q").quota("a", "9").quota("b", "9"));
  WorkloadBuilder workload("w", "q");
  workload.gpus("1").spec().node_selector = {{"zone", "2"}};
  EXPECT_EQ(outcome(world, workload), "admitted b");
}

/// "a" has 4 of the queue's own, of which 4 more can be borrowed; "b" has 8.
struct Fungibility {
  const char* what;
  bool next_before_borrowing;
  bool next_before_preempting;
  std::optional<FlavorPreference> preference;
  int used_of_b;
  const char* expected;
};

TEST(FlavorAssigner, GoesOnBeforeBorrowingOnlyIfItIsToldTo) {
  const Fungibility cases[] = {
      {"may stop", false, true, {}, 0, "admitted a"},
      {"goes on, and b needs no loan", true, true, {}, 0, "admitted b"},
      {"goes on, and b is full", true, true, {}, 8, "admitted a"},
  };
  for (const Fungibility& each : cases) {
    World world;
    world.add(QueueBuilder("lender").cohort("C").quota("a", "4"));
    world.add(QueueBuilder("q").cohort("C").quota("a", "4").quota("b", "8").fungibility(
        each.next_before_borrowing, each.next_before_preempting, each.preference));
    if (each.used_of_b > 0) {
      WorkloadBuilder other("other", "q");
      other.gpus(std::to_string(each.used_of_b)).object().status.admission = {
          "q", {{"main", {{"gpu", "b"}}, {{"gpu", *kube::Quantity::parse("8")}}, 1, {}, false}}};
      ASSERT_TRUE(world.scheduler.adopt(other, world.now));
    }
    EXPECT_EQ(outcome(world, WorkloadBuilder("w", "q").gpus("6")), each.expected) << each.what;
  }
}

TEST(FlavorAssigner, PrefersBorrowingToPreemptionUnlessItIsToldOtherwise) {
  // In "a" a workload of lower priority would have to leave; "b" can be borrowed.
  const auto decide_with = [](std::optional<FlavorPreference> preference, bool next_before_preempting) {
    World world;
    world.add(QueueBuilder("lender").cohort("C").quota("b", "8"));
    world.add(QueueBuilder("q")
                  .cohort("C")
                  .quota("a", "4")
                  .quota("b", "0")
                  .within(QueuePreemptionPolicy::kLowerPriority)
                  .fungibility(true, next_before_preempting, preference));
    world.run(WorkloadBuilder("low", "q").gpus("4"));
    return outcome(world, WorkloadBuilder("w", "q").gpus("4").priority(1));
  };
  EXPECT_EQ(decide_with({}, true), "admitted b");
  EXPECT_EQ(decide_with(FlavorPreference::kBorrowingOverPreemption, true), "admitted b");
  EXPECT_EQ(decide_with(FlavorPreference::kPreemptionOverBorrowing, true), "preempting low:own");
  EXPECT_EQ(decide_with({}, false), "preempting low:own");  // it may stop at "a"
}

TEST(FlavorAssigner, PrefersAnyFlavorThatHasVictimsToOneWithout) {
  World world;
  world.add(QueueBuilder("q").quota("a", "4").quota("b", "4").within(QueuePreemptionPolicy::kLowerPriority));
  world.run(WorkloadBuilder("high", "q").gpus("4").priority(9));
  world.run(WorkloadBuilder("low", "q").gpus("4"));
  EXPECT_EQ(outcome(world, WorkloadBuilder("w", "q").gpus("4").priority(1)), "preempting low:own");
}

TEST(FlavorAssigner, GoesOnBehindTheLastFlavorThatItLookedAt) {
  // In both flavors it would have to preempt, and may stop at the first. Its victims are the other's, so it is skipped.
  World world;
  const auto queue = [](const char* name) {
    return QueueBuilder(name)
        .cohort("C")
        .quota("a", "4")
        .quota("b", "4")
        .reclaim(QueuePreemptionPolicy::kAny)
        .fungibility(false, false);
  };
  world.add(queue("q1")).add(queue("q2")).add(QueueBuilder("x").cohort("C").quota("a", "0").quota("b", "0"));
  world.run(WorkloadBuilder("borrower", "x").gpus("8"));
  ASSERT_EQ(world.used("x", "gpu", "a"), 8);
  world.submit(WorkloadBuilder("w1", "q1").gpus("4").priority(1));
  const WorkloadId second = world.submit(WorkloadBuilder("w2", "q2").gpus("4"));
  const Round round = world.round();
  ASSERT_EQ(round.decisions.size(), 2);
  EXPECT_EQ(world.say(round.decisions[0]), "preempting borrower:reclaim");
  EXPECT_EQ(world.say(round.decisions[1]), "overlapping borrower:reclaim");
  ASSERT_TRUE(world.scheduler.workloads().at(second).progress.has_value());
  EXPECT_TRUE(world.scheduler.workloads().at(second).progress->has_more());
  EXPECT_EQ(world.settle()["w2"], "admitted b");  // of which nothing is used
}

TEST(FlavorAssigner, BeginsAnewWhenItWasTheLastFlavor) {
  FlavorProgress progress;
  progress.pod_sets = {{{Symbol(1), 2}, {Symbol(2), -1}}};
  EXPECT_EQ(progress.next(0, Symbol(1)), 3);
  EXPECT_EQ(progress.next(0, Symbol(2)), 0);
  EXPECT_EQ(progress.next(0, Symbol(3)), 0);
  EXPECT_EQ(progress.next(1, Symbol(1)), 0);
  EXPECT_TRUE(progress.has_more());
}

TEST(FlavorAssigner, TellsWhichFlavorsItLookedAt) {
  World world;
  world.scheduler.tell_attempts(true);
  world.add(QueueBuilder("q").quota("a", "2").quota("b", "5").quota("c", "5"));
  const Decision it = decide(world, WorkloadBuilder("w", "q").gpus("3"));
  const std::vector<FlavorAttempt>& attempts = it.assignment.pod_sets.at(0).attempts;
  ASSERT_EQ(attempts.size(), 2);
  EXPECT_EQ(attempts[0].mode, AssignmentMode::kNoFit);
  EXPECT_EQ(attempts[0].reasons.size(), 1);
  EXPECT_EQ(attempts[1].mode, AssignmentMode::kFit);
}

}  // namespace
}  // namespace loadline::queue::kueue
