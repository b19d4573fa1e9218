#include "brain/queue/kueue/round.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using Policy = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

std::string said(World& world) {
  std::string text;
  for (const Decision& it : world.round().decisions) text += world.name(it.workload) + " " + world.say(it) + "; ";
  return text;
}

TEST(Round, HasOneHeadOfEachQueue) {
  World world;
  world.add(QueueBuilder("a").quota("f", "9")).add(QueueBuilder("b").quota("f", "9"));
  for (const char* name : {"a1", "a2", "b1"}) world.submit(WorkloadBuilder(name, std::string(1, name[0])).gpus("1"));
  EXPECT_EQ(said(world), "a1 admitted f; b1 admitted f; ");
  EXPECT_EQ(said(world), "a2 admitted f; ");
  EXPECT_FALSE(world.scheduler.is_due(world.now));
}

TEST(Round, OrdersByBorrowingThenPriorityThenTimeThenQueue) {
  World world;
  world.add(QueueBuilder("lender").cohort("C").quota("f", "20"));
  for (const char* name : {"a", "b", "c", "d", "e"}) world.add(QueueBuilder(name).cohort("C").quota("f", "2"));
  world.submit(WorkloadBuilder("borrows", "a").gpus("3").priority(9));
  world.submit(WorkloadBuilder("late", "b").gpus("1").created(2));
  world.submit(WorkloadBuilder("same2", "d").gpus("1").created(1));
  world.submit(WorkloadBuilder("same1", "c").gpus("1").created(1));
  world.submit(WorkloadBuilder("high", "e").gpus("1").priority(1).created(5));
  EXPECT_EQ(said(world), "high admitted f; same1 admitted f; same2 admitted f; late admitted f; borrows admitted f; ");
}

TEST(Round, OrdersByTimeAloneWithoutTheGate) {
  Settings settings;
  settings.sorts_by_priority = false;
  World world(settings);
  world.add(QueueBuilder("a").quota("f", "2")).add(QueueBuilder("b").quota("f", "2"));
  world.submit(WorkloadBuilder("high", "a").gpus("1").priority(9).created(5));
  world.submit(WorkloadBuilder("old", "b").gpus("1").created(1));
  EXPECT_EQ(said(world), "old admitted f; high admitted f; ");
}

TEST(Round, AdmitsOneThatBlocksAdmission) {
  Settings settings;
  settings.blocks_admission = true;
  World world(settings);
  world.add(QueueBuilder("a").quota("f", "2"));
  world.add(QueueBuilder("b").quota("f", "1"));
  world.add(QueueBuilder("c").quota("f", "1").within(Policy::kLowerPriority));
  const WorkloadId low = world.run(WorkloadBuilder("low", "c").gpus("1"));
  world.submit(WorkloadBuilder("a1", "a").gpus("1").priority(2));
  world.submit(WorkloadBuilder("a2", "a").gpus("1"));
  world.submit(WorkloadBuilder("b1", "b").gpus("1").priority(1));
  world.submit(WorkloadBuilder("c1", "c").gpus("1").priority(3));
  EXPECT_EQ(said(world), "c1 preempting low:own; a1 admitted f; b1 waits for pods; ");  // who preempts waits for nobody
  EXPECT_EQ(world.used("b"), 0);
  EXPECT_TRUE(world.scheduler.is_due(world.now));
  world.scheduler.remove(low, world.now);
  EXPECT_EQ(said(world), "c1 admitted f; b1 waits for pods; a2 waits for pods; ");
  EXPECT_EQ(said(world), "b1 admitted f; a2 waits for pods; ");
  EXPECT_EQ(said(world), "a2 admitted f; ");
}

TEST(Round, GivesWhatIsLeftToTheNextInOrder) {
  World world;
  world.add(QueueBuilder("lender").cohort("C").quota("f", "4"));
  world.add(QueueBuilder("a").cohort("C").quota("f", "0")).add(QueueBuilder("b").cohort("C").quota("f", "0"));
  world.submit(WorkloadBuilder("a1", "a").gpus("3").created(2));
  world.submit(WorkloadBuilder("b1", "b").gpus("3").created(1));
  EXPECT_EQ(said(world), "b1 admitted f; a1 taken; ");
  EXPECT_EQ(world.used("b"), 3);
  EXPECT_TRUE(world.scheduler.is_due(world.now));  // it was nominated, and has another turn
  EXPECT_EQ(said(world), "a1 no fit; ");
}

TEST(Round, LeavesVictimsToThoseWhoCameFirst) {
  World world;
  world.add(QueueBuilder("a").cohort("C").quota("f", "2").reclaim(Policy::kAny));
  world.add(QueueBuilder("b").cohort("C").quota("f", "2").reclaim(Policy::kAny));
  world.add(QueueBuilder("x").cohort("C").quota("f", "0"));
  world.run(WorkloadBuilder("borrower", "x").gpus("4"));
  world.submit(WorkloadBuilder("a1", "a").gpus("2").created(1));
  world.submit(WorkloadBuilder("b1", "b").gpus("2").created(2));
  EXPECT_EQ(said(world), "a1 preempting borrower:reclaim; b1 overlapping borrower:reclaim; ");
  EXPECT_EQ(world.used("x"), 4);  // it holds its quota until it has stopped
}

TEST(Round, AsksEachVictimOnlyOnce) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4").within(Policy::kLowerPriority));
  world.run(WorkloadBuilder("low", "q").gpus("4"));
  world.submit(WorkloadBuilder("high", "q").gpus("4").priority(1));
  EXPECT_EQ(world.round().decisions.at(0).evicted.size(), 1);
  const Round again = world.round();
  EXPECT_EQ(again.decisions.at(0).victims.size(), 1);
  EXPECT_TRUE(again.decisions.at(0).evicted.empty());
  EXPECT_FALSE(again.has_changed_something());
  EXPECT_FALSE(world.scheduler.is_due(world.now));
}

TEST(Round, HoldsNominalQuotaForThoseWhoMayPreemptNobody) {
  for (const auto& [policy, expected] : {std::pair(Policy::kLowerPriority, "a1 no victims; x2 taken; "),
                                         std::pair(Policy::kAny, "a1 preempting x1:reclaim; x2 taken; ")}) {
    World world;
    world.add(QueueBuilder("a").cohort("C").quota("f", "4").reclaim(policy));
    world.add(QueueBuilder("x").cohort("C").quota("f", "0"));
    world.run(WorkloadBuilder("x1", "x").gpus("2").priority(5));
    world.submit(WorkloadBuilder("a1", "a").gpus("3").created(1));
    world.submit(WorkloadBuilder("x2", "x").gpus("2").created(2));
    EXPECT_EQ(said(world), expected);
  }
}

TEST(Round, DoesNotHoldWhatTheQueueCanAlwaysReclaim) {
  World world;
  // Nobody can be preempted: what a's own queue has is used by itself, at equal priority.
  world.add(QueueBuilder("a").cohort("C").quota("f", "4").reclaim(Policy::kAny).within(Policy::kLowerPriority));
  world.add(QueueBuilder("x").cohort("C").quota("f", "0"));
  world.run(WorkloadBuilder("a0", "a").gpus("2").priority(5));
  world.submit(WorkloadBuilder("a1", "a").gpus("3").created(1));
  world.submit(WorkloadBuilder("x1", "x").gpus("2").created(2));
  EXPECT_EQ(said(world), "a1 no victims; x1 admitted f; ");
}

TEST(Round, OfQueuesWithoutCohortsIsNoMatterToOthers) {
  World world;
  world.add(QueueBuilder("a").quota("f", "1")).add(QueueBuilder("b").quota("f", "1"));
  world.submit(WorkloadBuilder("a1", "a").gpus("2"));
  world.submit(WorkloadBuilder("b1", "b").gpus("1"));
  EXPECT_EQ(said(world), "a1 no fit; b1 admitted f; ");
}

TEST(Round, AdmitsAsManyPodsAsFit) {
  World world;
  world.add(QueueBuilder("q").quota("f", "10"));
  world.run(WorkloadBuilder("other", "q").gpus("3"));
  const WorkloadId id = world.run(WorkloadBuilder("w", "q").pods(10, {{"gpu", "2"}}).least(2));
  EXPECT_EQ(world.used("q"), 9);
  EXPECT_EQ(world.scheduler.workloads().at(id).admission.at(0).count, 3);
}

TEST(Round, ReducesPodSetsInEqualParts) {
  World world;
  world.add(QueueBuilder("q").quota("f", "9"));
  WorkloadBuilder workload("w", "q");
  workload.pods(10, {{"gpu", "1"}}, "a").least(2).pods(4, {{"gpu", "1"}}, "b").least(2);
  const WorkloadId id = world.run(workload);
  // Ten steps: after five of them, 10 - 8 · 5 / 10 and 4 - 2 · 5 / 10.
  ASSERT_TRUE(world.runs(id));
  EXPECT_EQ(world.scheduler.workloads().at(id).admission.at(0).count, 6);
  EXPECT_EQ(world.scheduler.workloads().at(id).admission.at(1).count, 3);
}

TEST(Round, DoesNotGoBelowTheLeastCount) {
  World world;
  world.add(QueueBuilder("q").quota("f", "3"));
  EXPECT_FALSE(world.runs(world.run(WorkloadBuilder("w", "q").pods(10, {{"gpu", "1"}}).least(4))));
  EXPECT_TRUE(world.runs(world.run(WorkloadBuilder("v", "q").pods(10, {{"gpu", "1"}}).least(3))));
}

TEST(Round, AdmitsNobodyInPartWithoutTheGate) {
  Settings settings;
  settings.admits_partially = false;
  World world(settings);
  world.add(QueueBuilder("q").quota("f", "3"));
  EXPECT_FALSE(world.runs(world.run(WorkloadBuilder("v", "q").pods(10, {{"gpu", "1"}}).least(1))));
}

TEST(Round, PreemptsForFewerPodsIfAllOfThemDoNotFitEvenSo) {
  World world;
  world.add(QueueBuilder("q").quota("f", "6").within(Policy::kLowerPriority));
  world.run(WorkloadBuilder("low", "q").gpus("4"));
  world.run(WorkloadBuilder("high", "q").gpus("2").priority(9));
  world.submit(WorkloadBuilder("w", "q").pods(10, {{"gpu", "1"}}).least(1).priority(1));
  const Round round = world.round();
  // Two fit at once, four once "low" has left.
  EXPECT_EQ(world.say(round.decisions.at(0)), "preempting low:own");
  EXPECT_EQ(round.decisions[0].assignment.pod_sets.at(0).count, 4);
}

TEST(Round, PassesByWorkloadsWhoseChecksFailed) {
  World world;
  world.add(QueueBuilder("q").quota("f", "6"));
  WorkloadBuilder workload("w", "q");
  workload.gpus("1").object().status.admission_checks.push_back(
      {"check", kube::CheckState::kRetry, {}, "", {}, {}, {}});
  world.submit(workload);
  EXPECT_EQ(said(world), "w failed checks; ");
}

TEST(Round, ReturnsQuotaOnlyWhenTheVictimHasStopped) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4").within(Policy::kLowerPriority));
  const WorkloadId low = world.run(WorkloadBuilder("low", "q").gpus("4"));
  const WorkloadId high = world.run(WorkloadBuilder("high", "q").gpus("4").priority(1));
  world.pass(60).settle();
  EXPECT_FALSE(world.runs(high));
  world.submit(WorkloadBuilder("low", "q").gpus("4").condition("Evicted", "True", "Preempted"));
  world.pass(1).settle();
  EXPECT_TRUE(world.runs(high));
  EXPECT_FALSE(world.scheduler.workloads().at(low).has_quota);
  EXPECT_EQ(world.used("q"), 4);
}

TEST(Round, ForgetsAnEvictionOnceQuotaIsThereAgain) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4").within(Policy::kLowerOrNewerEqualPriority));
  WorkloadBuilder workload("w", "q");
  workload.gpus("4").created(1).condition("Evicted", "True", "PodsReadyTimeout", 50);
  const WorkloadId id = world.submit(workload);
  EXPECT_TRUE(world.scheduler.workloads().at(id).is_evicted);
  world.settle();
  EXPECT_TRUE(world.runs(id));
  // Its time counts from its creation again, so that nobody younger evicts it.
  world.submit(WorkloadBuilder("younger", "q").gpus("4").created(20));
  EXPECT_EQ(said(world), "younger no victims; ");
}

TEST(Round, AdoptsWhatObjectsSayAndScalesWhatHasEnded) {
  World world;
  world.add(QueueBuilder("q").quota("f", "10"));
  WorkloadBuilder workload("w", "q");
  workload.pods(4, {{"gpu", "2"}}).condition("QuotaReserved", "True", "", 7);
  workload.object().status.admission = {
      "q", {{"main", {{"gpu", "f"}}, {{"gpu", *kube::Quantity::parse("8")}}, 4, {}, false}}};
  world.scheduler.set(workload, world.now);
  EXPECT_EQ(world.used("q"), 8);
  workload.object().status.reclaimable_pods = {{"main", 3}};
  world.scheduler.set(workload, world.now);
  EXPECT_EQ(world.used("q"), 2);
  workload.condition("Finished", "True");
  world.scheduler.set(workload, world.now);
  EXPECT_EQ(world.used("q"), 0);
  EXPECT_FALSE(world.scheduler.workloads().find("ns/w").valid());
}

TEST(Round, WorkloadsThatAreGatedOnHoldOrInactiveDoNotWait) {
  World world;
  world.add(QueueBuilder("q").quota("f", "10"));
  const auto waits = [&](const WorkloadBuilder& workload) {
    world.scheduler.set(workload, world.now);
    return world.scheduler.workloads().find("ns/w").valid();
  };
  WorkloadBuilder plain("w", "q");
  plain.gpus("1");
  EXPECT_TRUE(waits(plain));
  WorkloadBuilder gated = plain;
  gated.object().metadata.annotations["kueue.x-k8s.io/admission-gated-by"] = "example.com/gate";
  EXPECT_FALSE(waits(gated));
  WorkloadBuilder held = plain;
  held.condition("QuotaReserved", "False", "OnHold");
  EXPECT_FALSE(waits(held));
  WorkloadBuilder pending = plain;
  pending.condition("QuotaReserved", "False", "Pending");
  EXPECT_TRUE(waits(pending));
  WorkloadBuilder inactive = plain;
  inactive.object().active = false;
  EXPECT_FALSE(waits(inactive));
}

TEST(Round, OverrunQuotaStaysAndAdmitsNobody) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  world.run(WorkloadBuilder("w", "q").gpus("4"));
  world.add(QueueBuilder("q").quota("f", "2"));
  EXPECT_EQ(world.used("q"), 4);
  world.submit(WorkloadBuilder("v", "q").gpus("1"));
  EXPECT_EQ(said(world), "v no victims; ");
}

}  // namespace
}  // namespace loadline::queue::kueue
