#include "brain/queue/kueue/fair_preemption.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using kube::FairSharingStrategy;
using Policy = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

Settings fair(std::vector<FairSharingStrategy> strategies = {FairSharingStrategy::kLessThanOrEqualToFinalShare,
                                                             FairSharingStrategy::kLessThanInitialShare}) {
  Settings settings;
  settings.fair_sharing.emplace().preemption_strategies = std::move(strategies);
  return settings;
}

/// "a" asks; all queues have 4 of their own unless said otherwise.
class FairPreemption : public ::testing::Test {
 protected:
  explicit FairPreemption(Settings settings = fair()) : world_(std::move(settings)) {}

  QueueBuilder queue(const std::string& name, const std::string& quota = "4", const std::string& cohort = "C") {
    QueueBuilder it(name);
    it.cohort(cohort).quota("f", quota).reclaim(Policy::kAny);
    return it;
  }
  void run(const std::string& name, const std::string& queue, const std::string& gpus, int priority = 0) {
    world_.pass(1);
    EXPECT_TRUE(world_.runs(world_.run(WorkloadBuilder(name, queue).gpus(gpus).priority(priority)))) << name;
  }
  std::string say(const std::string& gpus, int priority = 0) {
    world_.pass(1);
    world_.submit(WorkloadBuilder("w", "a").gpus(gpus).priority(priority));
    for (const Decision& it : world_.round().decisions) {
      if (world_.name(it.workload) == "w") return world_.say(it);
    }
    return "nothing";
  }
  World world_;
};

TEST_F(FairPreemption, SharesAreMadeEqualAndNoMore) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  for (int i = 10; i < 22; ++i) run("b" + std::to_string(i), "b", "1");
  // a would borrow 2 of 12; so does b, once six have left, the youngest first.
  EXPECT_EQ(say("6"), "preempting b21:fair b20:fair b19:fair b18:fair b17:fair b16:fair");
}

TEST_F(FairPreemption, NobodyComesOffWorseThanThePreemptor) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  for (int i = 10; i < 22; ++i) run("b" + std::to_string(i), "b", "1");
  EXPECT_EQ(say("7"), "no victims");
}

TEST_F(FairPreemption, AWorkloadThatIsTooLargeLeavesByTheInitialShare) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("large", "b", "12");
  EXPECT_EQ(say("7"), "preempting large:fair");
}

class FinalShareAlone : public FairPreemption {
 protected:
  FinalShareAlone() : FairPreemption(fair({FairSharingStrategy::kLessThanOrEqualToFinalShare})) {}
};

TEST_F(FinalShareAlone, LetsALargeWorkloadStay) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("large", "b", "12");
  EXPECT_EQ(say("7"), "no victims");
}

class InitialShareAlone : public FairPreemption {
 protected:
  InitialShareAlone() : FairPreemption(fair({FairSharingStrategy::kLessThanInitialShare})) {}
};

TEST_F(InitialShareAlone, GoesOnUntilSharesHaveCrossed) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  for (int i = 1; i < 5; ++i) run("b" + std::to_string(i), "b", "3");
  // a would borrow 3 of 12. b borrows 8, 5 and 2: the third may not leave any more.
  EXPECT_EQ(say("7"), "no victims");
  world_.scheduler.remove(world_.scheduler.workloads().find("ns/w"), world_.now);
  EXPECT_EQ(say("6"), "preempting b4:fair b3:fair");
}

TEST_F(FairPreemption, WithinNominalQuotaSharesDoNotMatter) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("b1", "b", "6");
  run("c1", "c", "6");
  EXPECT_EQ(say("4"), "preempting c1:reclaim");
}

class WithoutNominalGate : public FairPreemption {
 protected:
  WithoutNominalGate()
      : FairPreemption([] {
          Settings settings = fair({FairSharingStrategy::kLessThanOrEqualToFinalShare});
          settings.reclaims_nominal_freely = false;
          return settings;
        }()) {}
};

TEST_F(WithoutNominalGate, ItIsAMatterOfSharesToo) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("b1", "b", "12");
  EXPECT_EQ(say("4"), "preempting b1:fair");  // 0 is not above 0
}

TEST_F(FairPreemption, TheLargestShareGivesFirst) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("b1", "b", "5");
  run("c1", "c", "1");
  run("c2", "c", "3");
  run("c3", "c", "3");
  EXPECT_EQ(say("2"), "preempting c3:reclaim");  // c borrows 3, b one
}

TEST_F(FairPreemption, WeightsMakeSharesSmaller) {
  world_.add(queue("a")).add(queue("b")).add(queue("c").weight("4"));
  run("b1", "b", "5");
  run("c1", "c", "7");
  EXPECT_EQ(say("1"), "preempting b1:reclaim");
}

TEST_F(FairPreemption, WeightZeroIsTheLargestShare) {
  world_.add(queue("a")).add(queue("b").weight("0")).add(queue("c"));
  run("b1", "b", "5");
  run("c1", "c", "7");
  EXPECT_EQ(say("1"), "preempting b1:reclaim");
}

TEST_F(FairPreemption, OfEqualSharesTheQueueWhoseCandidateLeavesFirst) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("b1", "b", "6", 5);
  run("c1", "c", "6", 1);
  EXPECT_EQ(say("1", 9), "preempting c1:reclaim");
}

TEST_F(FairPreemption, TheOwnQueueGivesByItsPolicyWithoutRegardToShares) {
  world_.add(queue("a").within(Policy::kLowerPriority)).add(queue("b")).add(queue("c", "0"));
  run("mine", "a", "8", -1);
  EXPECT_EQ(say("8"), "preempting mine:own");
}

TEST_F(FairPreemption, CandidatesFollowTheReclaimPolicy) {
  world_.add(queue("a").reclaim(Policy::kLowerPriority)).add(queue("b")).add(queue("c"));
  run("b1", "b", "6", 0);
  run("b2", "b", "6", -1);
  EXPECT_EQ(say("4"), "preempting b2:reclaim");
}

TEST_F(FairPreemption, ThoseWhoNeedNotLeaveStay) {
  world_.add(queue("a")).add(queue("b")).add(queue("c"));
  run("large", "b", "6", 1);
  run("small", "b", "2", 0);
  run("c1", "c", "4");
  EXPECT_EQ(say("4"), "preempting large:reclaim");
}

TEST_F(FairPreemption, InATreeTheCohortWithTheLargestShareGives) {
  world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R").add_cohort("N", "R");
  world_.add(queue("a", "4", "L")).add(queue("m", "4", "M")).add(queue("n", "4", "N"));
  run("m1", "m", "5");
  run("n1", "n", "7");
  EXPECT_EQ(say("1"), "preempting n1:reclaim");
}

TEST_F(FairPreemption, SharesAreThoseBelowTheCommonAncestor) {
  world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R");
  world_.add(queue("a", "0", "L")).add(queue("b", "4", "L")).add(queue("m", "4", "M")).add(queue("x", "4", "R"));
  for (int i = 10; i < 22; ++i) run("m" + std::to_string(i), "m", "1");
  // a borrows 6 of 12, but 4 of them of its own side: L borrows 2, as M does once six have left.
  EXPECT_EQ(say("6"), "preempting m21:fair m20:fair m19:fair m18:fair m17:fair m16:fair");
  world_.scheduler.remove(world_.scheduler.workloads().find("ns/w"), world_.now);
  EXPECT_EQ(say("7"), "no victims");
}

TEST_F(FairPreemption, ACohortThatBorrowsNothingIsLeftAlone) {
  world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R");
  world_.add(queue("a", "4", "L")).add(queue("m1", "4", "M")).add(queue("m2", "0", "M")).add(queue("x", "0", "R"));
  run("inside", "m2", "4");
  run("outside", "x", "4");
  EXPECT_EQ(say("4"), "preempting outside:reclaim");
}

TEST_F(FairPreemption, AQueueWithoutACohortHasItsOwnAlone) {
  world_.add(QueueBuilder("a").quota("f", "4").within(Policy::kLowerPriority));
  run("low", "a", "2", -1);
  run("equal", "a", "2");
  EXPECT_EQ(say("2"), "preempting low:own");
}

}  // namespace
}  // namespace loadline::queue::kueue
