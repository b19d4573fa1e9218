// What has workloads tried again that could not be admitted, and what does not: as upstream, where it was compared.
#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using testing::QueueBuilder;
using testing::WorkloadBuilder;

/// A queue "a" with a workload that runs, one that waits and is inadmissible, and a queue "b" that uses another flavor.
class Helping : public ::testing::Test {
 protected:
  Helping() {
    world_.add(QueueBuilder("a").cohort("C").quota("f", "4")).add(QueueBuilder("b").quota("g", "4"));
    runs_ = WorkloadBuilder("runs", "a").gpus("3").created(1);
    runs_.pods(2, {{"gpu", "0"}}, "more");
    world_.run(runs_);
    world_.run(WorkloadBuilder("waits", "a").gpus("2").created(2));
    world_.run(WorkloadBuilder("other", "b").gpus("5").created(3));
    rest();
  }
  void rest() {
    world_.pass(5).settle();
    EXPECT_EQ(world_.scheduler.due_at(), std::nullopt);
  }
  /// Whether some are to be tried again.
  [[nodiscard]] bool helps() const { return world_.scheduler.due_at().has_value(); }
  /// How many of a queue are ready once those that were helped are back.
  [[nodiscard]] std::size_t ready_after(const std::string& queue) {
    world_.pass(1).scheduler.elapse(world_.now);
    return world_.scheduler.pending().ready_count(world_.scheduler.queues().find(queue));
  }
  /// As its object says once it has quota.
  kube::KueueWorkload running() {
    kube::KueueWorkload it = runs_;
    it.status.admission.emplace().cluster_queue = "a";
    for (const auto& [name, amount] : {std::pair{"main", 3}, std::pair{"more", 0}}) {
      kube::PodSetAssignment& set = it.status.admission->pod_set_assignments.emplace_back();
      set.name = name;
      set.flavors["gpu"] = "f";
      set.resource_usage["gpu"] = kube::Quantity::of(amount, kube::Quantity::Format::kDecimalSI);
      set.count = amount == 0 ? 2 : 1;
    }
    it.status.conditions.push_back({"QuotaReserved", "True", 0, world_.now, "", ""});
    return it;
  }

  testing::World world_;
  WorkloadBuilder runs_{"", ""};
};

TEST_F(Helping, AWorkloadThatGoesThoughItOnlyWaited) {
  world_.scheduler.forget("ns", "waits", world_.now);
  EXPECT_TRUE(helps());
  EXPECT_EQ(ready_after("b"), 0U);
}

TEST_F(Helping, AWorkloadThatIsOverAndAgainWhenItsObjectGoes) {
  kube::KueueWorkload finished = running();
  finished.status.conditions.push_back({"Finished", "True", 0, world_.now, "", ""});
  world_.scheduler.set(finished, world_.now);
  EXPECT_TRUE(helps());
  rest();
  world_.scheduler.forget("ns", "runs", world_.now);
  EXPECT_TRUE(helps());
  rest();
  world_.scheduler.forget("ns", "runs", world_.now);
  EXPECT_FALSE(helps());
}

TEST_F(Helping, NotOneThatWasNeverInLine) {
  kube::KueueWorkload gated = WorkloadBuilder("gated", "a").gpus("1");
  gated.metadata.annotations[std::string(kube::kAdmissionGatedByAnnotation)] = "example.com/gate";
  world_.scheduler.set(gated, world_.now);
  gated.active = false;
  world_.scheduler.set(gated, world_.now);
  world_.scheduler.forget("ns", "gated", world_.now);
  EXPECT_FALSE(helps());
}

TEST_F(Helping, AnotherPriorityOfOneThatRuns) {
  world_.scheduler.set(running(), world_.now);
  EXPECT_FALSE(helps());
  kube::KueueWorkload other = running();
  other.priority = -1;
  world_.scheduler.set(other, world_.now);
  EXPECT_TRUE(helps());
}

TEST_F(Helping, PodsThatEndedThoughTheyAskedForNothing) {
  kube::KueueWorkload other = running();
  other.status.reclaimable_pods.push_back({"more", 1});
  world_.scheduler.set(other, world_.now);
  EXPECT_TRUE(helps());
}

TEST_F(Helping, AFlavorOnlyIfItTakesOtherPodsAndOnlyThoseThatUseIt) {
  world_.scheduler.set(testing::flavor("f"), world_.now);
  EXPECT_FALSE(helps());
  world_.scheduler.set(testing::flavor("f", {{"type", "x"}}), world_.now);
  EXPECT_TRUE(helps());
  EXPECT_EQ(ready_after("b"), 0U);
  world_.settle();
  world_.scheduler.remove_flavor("f", world_.now);
  EXPECT_FALSE(helps());
  world_.scheduler.set(testing::flavor("f"), world_.now);
  EXPECT_TRUE(helps());
}

TEST_F(Helping, ACheckOnlyThoseThatStartWithIt) {
  kube::AdmissionCheck check;
  check.metadata.name = "check";
  check.conditions.push_back({"Active", "True", 0, {}, "", ""});
  world_.scheduler.set(check, world_.now);
  EXPECT_FALSE(helps());
  world_.scheduler.remove_check("check", world_.now);
  QueueBuilder queue("a");
  queue.cohort("C").quota("f", "4").object().admission_checks.push_back({"check", {}});
  world_.add(queue);
  rest();
  world_.scheduler.set(check, world_.now);
  EXPECT_TRUE(helps());
}

TEST_F(Helping, ANamespaceThoseThatTakeItOnlyNow) {
  world_.scheduler.set_namespace("ns", {{"team", "x"}}, world_.now);
  EXPECT_FALSE(helps());
  QueueBuilder queue("a");
  queue.cohort("C").quota("f", "4").object().namespace_selector->match_labels["team"] = "y";
  world_.add(queue);
  rest();
  world_.scheduler.set_namespace("ns", {{"team", "y"}}, world_.now);
  EXPECT_TRUE(helps());
  EXPECT_EQ(ready_after("b"), 0U);
}

/// What was due before is not a part of what comes later.
TEST_F(Helping, WhatIsDueIsBackBeforeSomethingElseHelps) {
  world_.scheduler.forget("ns", "runs", world_.now);
  world_.pass(3).scheduler.elapse(world_.now);
  EXPECT_FALSE(helps());
  world_.scheduler.forget("ns", "waits", world_.now);
  EXPECT_EQ(world_.scheduler.due_at(), world_.now + Duration::seconds(1));
}

}  // namespace
}  // namespace loadline::queue::kueue
