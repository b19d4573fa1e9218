#include "brain/queue/kueue/classical_preemption.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using Policy = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

class ClassicalPreemption : public ::testing::Test {
 protected:
  /// Gets its quota in a second of its own.
  WorkloadId run(const std::string& name, const std::string& queue, const std::string& gpus, int priority = 0) {
    world_.pass(1);
    const WorkloadId id = world_.run(
        WorkloadBuilder(name, queue).gpus(gpus).priority(priority).created(world_.now.nanoseconds / 1'000'000'000));
    EXPECT_TRUE(world_.runs(id)) << name;
    return id;
  }
  /// What comes of a workload that is older than all that run, unless said otherwise.
  std::string say(const std::string& queue, const std::string& gpus, int priority = 0, int created = 0) {
    world_.pass(1);
    world_.submit(WorkloadBuilder("w", queue).gpus(gpus).priority(priority).created(created));
    for (const Decision& it : world_.round().decisions) {
      if (world_.name(it.workload) == "w") return world_.say(it);
    }
    return "nothing";
  }
  World world_;
};

// ---- in the own queue ----------------------------------------------------------------------------------------------

TEST_F(ClassicalPreemption, WithinTheQueueFollowsThePolicy) {
  struct Case {
    Policy policy;
    int priority;
    int created;
    const char* expected;
  };
  const Case cases[] = {
      {Policy::kNever, 9, 0, "no victims"},
      {Policy::kLowerPriority, 1, 9999, "preempting other:own"},
      {Policy::kLowerPriority, 0, 0, "no victims"},
      {Policy::kLowerOrNewerEqualPriority, 0, 0, "preempting other:own"},
      {Policy::kLowerOrNewerEqualPriority, 0, 9999, "no victims"},
      {Policy::kLowerOrNewerEqualPriority, 1, 9999, "preempting other:own"},
      {Policy::kLowerOrNewerEqualPriority, -1, 0, "no victims"},
      {Policy::kAny, -1, 9999, "preempting other:own"},
  };
  for (const Case& each : cases) {
    world_.add(QueueBuilder("q").quota("f", "4").within(each.policy));
    const WorkloadId other = run("other", "q", "4");
    EXPECT_EQ(say("q", "1", each.priority, each.created), each.expected);
    for (const WorkloadId id : {other, world_.scheduler.workloads().find("ns/w")})
      world_.scheduler.remove(id, world_.now);
  }
}

TEST_F(ClassicalPreemption, ThoseOfLowestPriorityAndWithTheYoungestQuotaLeaveFirst) {
  world_.add(QueueBuilder("q").quota("f", "4").within(Policy::kLowerPriority));
  run("low-old", "q", "1", 1);
  run("low-young", "q", "1", 1);
  run("lowest", "q", "1", 0);
  run("higher", "q", "1", 2);
  EXPECT_EQ(say("q", "2", 9), "preempting lowest:own low-young:own");
}

TEST_F(ClassicalPreemption, ThoseWhoNeedNotLeaveStay) {
  world_.add(QueueBuilder("q").quota("f", "4").within(Policy::kLowerPriority));
  run("small", "q", "1", 0);
  run("large", "q", "3", 1);
  EXPECT_EQ(say("q", "3", 9), "preempting large:own");  // "small" left first, and need not
}

TEST_F(ClassicalPreemption, ThoseThatAreLeavingAnywayComeFirst) {
  world_.add(QueueBuilder("q").quota("f", "4").within(Policy::kLowerPriority));
  run("lowest", "q", "2", 0);
  const WorkloadId leaving = run("leaving", "q", "2", 5);
  WorkloadBuilder object("leaving", "q");
  object.gpus("2").priority(5).condition("Evicted", "True", "Preempted").condition("QuotaReserved", "True");
  object.object().status.admission = {"q",
                                      {{"main", {{"gpu", "f"}}, {{"gpu", *kube::Quantity::parse("2")}}, 1, {}, false}}};
  ASSERT_TRUE(world_.scheduler.adopt(object, world_.now));
  ASSERT_TRUE(world_.scheduler.workloads().at(leaving).is_evicted);
  EXPECT_EQ(say("q", "2", 9), "preempting leaving:own");
}

TEST_F(ClassicalPreemption, OnlyUsersOfWhatIsContestedAreCandidates) {
  world_.add(
      QueueBuilder("q").quotas("f", {{"cpu", "4"}}).group().quotas("g", {{"gpu", "4"}}).within(Policy::kLowerPriority));
  world_.run(WorkloadBuilder("cpus", "q").pods(1, {{"cpu", "4"}}));
  world_.run(WorkloadBuilder("gpus", "q").gpus("4").priority(1));
  EXPECT_EQ(say("q", "1", 9), "preempting gpus:own");
}

// ---- in the cohort -------------------------------------------------------------------------------------------------

TEST_F(ClassicalPreemption, NominalQuotaIsReclaimedFromBorrowersByThePolicy) {
  for (const auto& [policy, priority, expected] :
       {std::tuple(Policy::kNever, 0, "no victims"), std::tuple(Policy::kAny, 9, "preempting other:reclaim"),
        std::tuple(Policy::kLowerPriority, 0, "no victims"),
        std::tuple(Policy::kLowerPriority, -1, "preempting other:reclaim")}) {
    world_.add(QueueBuilder("q").cohort("C").quota("f", "4").reclaim(policy));
    world_.add(QueueBuilder("b").cohort("C").quota("f", "0"));
    const WorkloadId other = run("other", "b", "4", priority);
    EXPECT_EQ(say("q", "1"), expected);
    for (const WorkloadId id : {other, world_.scheduler.workloads().find("ns/w")})
      world_.scheduler.remove(id, world_.now);
  }
}

TEST_F(ClassicalPreemption, NobodyLeavesAQueueThatIsWithinItsQuota) {
  world_.add(QueueBuilder("q").cohort("C").quota("f", "4").reclaim(Policy::kAny));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "2")).add(QueueBuilder("c").cohort("C").quota("f", "2"));
  run("b1", "b", "2");
  run("c1", "c", "3");
  run("c2", "c", "3");
  EXPECT_EQ(say("q", "4"), "preempting c2:reclaim c1:reclaim");
  // Of two that borrow, the second need not leave once the first has.
  world_.scheduler.remove(world_.scheduler.workloads().find("ns/w"), world_.now);
  EXPECT_EQ(say("q", "3"), "preempting c2:reclaim");
}

TEST_F(ClassicalPreemption, AQueueThatIsBackWithinQuotaIsLeftAlone) {
  world_.add(QueueBuilder("q").cohort("C").quota("f", "4").reclaim(Policy::kAny));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "4")).add(QueueBuilder("c").cohort("C").quota("f", "0"));
  run("c1", "c", "2", 5);
  run("b1", "b", "2", 0);
  run("b2", "b", "4", 1);
  // Without b1, b uses what it has, so b2 stays, though its priority is lower than c1's.
  EXPECT_EQ(say("q", "4", 0), "preempting b1:reclaim c1:reclaim");
}

TEST_F(ClassicalPreemption, OthersComeBeforeTheOwn) {
  world_.add(QueueBuilder("q").cohort("C").quota("f", "4").within(Policy::kLowerPriority).reclaim(Policy::kAny));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "0"));
  run("mine", "q", "2", 0);
  run("theirs", "b", "2", 9);
  EXPECT_EQ(say("q", "2", 5), "preempting theirs:reclaim");
}

TEST_F(ClassicalPreemption, OneThatWouldBorrowTakesNoLoanAwayWithoutBorrowWithinCohort) {
  world_.add(QueueBuilder("q").cohort("C").quota("f", "2").reclaim(Policy::kAny));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "2")).add(QueueBuilder("l").cohort("C").quota("f", "2"));
  run("theirs", "b", "6", -5);
  EXPECT_EQ(say("q", "4"), "no fit");
  EXPECT_EQ(world_.settle().size(), 0);
  world_.scheduler.remove(world_.scheduler.workloads().find("ns/w"), world_.now);
  EXPECT_EQ(say("q", "2"), "preempting theirs:reclaim");
}

TEST_F(ClassicalPreemption, WithItOnlyThoseOfLowerPriorityBelowTheThresholdLeave) {
  struct Case {
    std::optional<std::int32_t> threshold;
    int priority;
    const char* expected;
  };
  for (const Case& each : {Case{{}, -1, "preempting theirs:borrowing"}, Case{{}, 0, "no victims"},
                           Case{-3, -3, "preempting theirs:borrowing"}, Case{-3, -2, "no victims"}}) {
    world_.add(QueueBuilder("q")
                   .cohort("C")
                   .quota("f", "2")
                   .reclaim(Policy::kAny)
                   .borrow_within(Policy::kLowerPriority, each.threshold));
    world_.add(QueueBuilder("b").cohort("C").quota("f", "2")).add(QueueBuilder("l").cohort("C").quota("f", "2"));
    const WorkloadId theirs = run("theirs", "b", "6", each.priority);
    EXPECT_EQ(say("q", "4"), each.expected) << each.priority;
    for (const WorkloadId id : {theirs, world_.scheduler.workloads().find("ns/w")}) {
      world_.scheduler.remove(id, world_.now);
    }
  }
}

TEST_F(ClassicalPreemption, SecondlyItIsTriedWithoutBorrowing) {
  // Above the threshold: it may leave only if the preemptor borrows nothing.
  world_.add(
      QueueBuilder("q").cohort("C").quota("f", "4").reclaim(Policy::kAny).borrow_within(Policy::kLowerPriority, -3));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "0"));
  run("theirs", "b", "4", -1);
  EXPECT_EQ(say("q", "4"), "preempting theirs:reclaim");
}

TEST_F(ClassicalPreemption, LimitsOfTheQueueHoldWhoeverLeaves) {
  world_.add(
      QueueBuilder("q").cohort("C").quota("f", "2", "1").reclaim(Policy::kAny).borrow_within(Policy::kLowerPriority));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "8"));
  run("theirs", "b", "10", -1);
  EXPECT_EQ(say("q", "4"), "no fit");
}

// ---- in a tree of cohorts ------------------------------------------------------------------------------------------

class HierarchicalPreemption : public ClassicalPreemption {
 protected:
  /// R over L (q and n) and M (far).
  void plant(const std::string& q, const std::string& n, const std::string& far, Policy reclaim) {
    world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R");
    world_.add(QueueBuilder("q").cohort("L").quota("f", q).reclaim(reclaim));
    world_.add(QueueBuilder("n").cohort("L").quota("f", n));
    world_.add(QueueBuilder("far").cohort("M").quota("f", far));
  }
};

TEST_F(HierarchicalPreemption, ThoseWhoUseQuotaOfTheOwnSideLeaveThoughThePreemptorBorrows) {
  plant("2", "4", "0", Policy::kAny);
  run("theirs", "far", "6", 9);
  // It fits into L, of which nobody in it uses anything: "far" has its quota from there.
  EXPECT_EQ(say("q", "5"), "preempting theirs:reclaim");
}

TEST_F(HierarchicalPreemption, ThoseOfTheOwnSideDoNot) {
  plant("2", "2", "2", Policy::kAny);
  run("near", "n", "6", -9);
  EXPECT_EQ(say("q", "3"), "no fit");
  world_.scheduler.remove(world_.scheduler.workloads().find("ns/w"), world_.now);
  EXPECT_EQ(say("q", "2"), "preempting near:reclaim");
}

TEST_F(HierarchicalPreemption, CandidatesOfTheOtherSideComeFirst) {
  plant("4", "0", "0", Policy::kAny);
  run("near", "n", "2", -9);
  run("far-away", "far", "2", 9);
  // The queue itself holds the request: all are hierarchical, so priority counts.
  EXPECT_EQ(say("q", "2"), "preempting near:reclaim");
  world_.scheduler.remove(world_.scheduler.workloads().find("ns/w"), world_.now);
  world_.add(QueueBuilder("q").cohort("L").quota("f", "1").reclaim(Policy::kAny).borrow_within(Policy::kLowerPriority));
  world_.add(QueueBuilder("n").cohort("L").quota("f", "1"));
  world_.add(QueueBuilder("far").cohort("M").quota("f", "2"));
  world_.run(WorkloadBuilder("more", "far").gpus("0"));
  EXPECT_EQ(say("q", "2"), "preempting near:borrowing");
}

TEST_F(HierarchicalPreemption, ACohortWithinItsQuotaIsNotTouched) {
  world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R");
  world_.add(QueueBuilder("q").cohort("L").quota("f", "4").reclaim(Policy::kAny));
  world_.add(QueueBuilder("m1").cohort("M").quota("f", "4")).add(QueueBuilder("m2").cohort("M").quota("f", "0"));
  world_.add(QueueBuilder("x").cohort("R").quota("f", "0"));
  run("inside", "m2", "4", -9);  // m2 borrows, M does not
  run("outside", "x", "4", 9);
  EXPECT_EQ(say("q", "4"), "preempting outside:reclaim");
}

}  // namespace
}  // namespace loadline::queue::kueue
