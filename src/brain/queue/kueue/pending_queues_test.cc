#include "brain/queue/kueue/pending_queues.h"

#include <gtest/gtest.h>

#include <set>

#include "brain/cluster/testing/seeds.h"
#include "brain/queue/kueue/testing/world.h"
#include "foundation/base/rng.h"

namespace loadline::queue::kueue {
namespace {

using testing::QueueBuilder;
using testing::QueuePreemptionPolicy;
using testing::WorkloadBuilder;
using testing::World;

std::string order(const World& world, const std::string& queue) {
  std::string names;
  for (const WorkloadId id : world.scheduler.pending().in_order(world.scheduler.queues().find(queue))) {
    names += world.name(id) + " ";
  }
  return names;
}

std::size_t ready(const World& world, const std::string& queue) {
  return world.scheduler.pending().ready_count(world.scheduler.queues().find(queue));
}

std::size_t inadmissible(const World& world, const std::string& queue) {
  return world.scheduler.pending().inadmissible_count(world.scheduler.queues().find(queue));
}

TEST(PendingQueues, OrderByPriorityThenTimeThenUid) {
  World world;
  world.add(QueueBuilder("q").quota("f", "0"));
  world.submit(WorkloadBuilder("c", "q").gpus("1").created(5));
  world.submit(WorkloadBuilder("b", "q").gpus("1").created(5));
  world.submit(WorkloadBuilder("late", "q").gpus("1").created(9));
  world.submit(WorkloadBuilder("high", "q").gpus("1").created(99).priority(1));
  EXPECT_EQ(order(world, "q"), "high b c late ");
}

TEST(PendingQueues, TimeCountsFromAnEvictionForPodsThatDidNotGetReadyOrByACheck) {
  const auto time = [](const std::string& reason, const std::string& status, kube::RequeuingTimestamp timestamp) {
    WorkloadBuilder it("w", "q");
    it.gpus("1").created(5).condition("Evicted", status, reason, 50);
    return queue_order_time(it, timestamp).nanoseconds / 1'000'000'000;
  };
  const auto eviction = kube::RequeuingTimestamp::kEviction;
  const auto creation = kube::RequeuingTimestamp::kCreation;
  EXPECT_EQ(time("PodsReadyTimeout", "True", eviction), 50);
  EXPECT_EQ(time("PodsReadyTimeout", "True", creation), 5);
  EXPECT_EQ(time("PodsReadyTimeout", "False", eviction), 5);
  EXPECT_EQ(time("AdmissionCheck", "True", creation), 50);
  EXPECT_EQ(time("Preempted", "True", eviction), 5);
}

TEST(PendingQueues, StrictOnesAreHeldUpByTheirHead) {
  World world;
  world.add(QueueBuilder("q").strict().quota("f", "4"));
  const WorkloadId large = world.submit(WorkloadBuilder("large", "q").gpus("5").created(1));
  const WorkloadId small = world.submit(WorkloadBuilder("small", "q").gpus("1").created(2));
  world.settle();
  EXPECT_FALSE(world.runs(large));
  EXPECT_FALSE(world.runs(small));
  EXPECT_EQ(ready(world, "q"), 2);
  EXPECT_FALSE(world.scheduler.is_due(world.now));
}

TEST(PendingQueues, BestEffortOnesPassByWhatDoesNotFit) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  world.submit(WorkloadBuilder("large", "q").gpus("5").created(1));
  const WorkloadId small = world.submit(WorkloadBuilder("small", "q").gpus("1").created(2));
  world.settle();
  EXPECT_TRUE(world.runs(small));
  EXPECT_EQ(inadmissible(world, "q"), 1);
}

TEST(PendingQueues, WhatFailedComesBackABatchAfterQuotaBecameFree) {
  World world;
  world.add(QueueBuilder("a").cohort("C").quota("f", "4")).add(QueueBuilder("b").cohort("C").quota("f", "0"));
  const WorkloadId first = world.run(WorkloadBuilder("first", "a").gpus("4"));
  const WorkloadId next = world.run(WorkloadBuilder("next", "b").gpus("2"));
  EXPECT_FALSE(world.runs(next));
  world.pass(5).settle();
  world.scheduler.remove(first, world.now);
  EXPECT_EQ(world.scheduler.due_at(), world.now + Duration::seconds(1));
  EXPECT_FALSE(world.scheduler.is_due(world.now));
  world.pass(1).settle();
  EXPECT_TRUE(world.runs(next));
}

TEST(PendingQueues, NotificationsOfOneBatchAreOne) {
  World world;
  world.add(QueueBuilder("a").quota("f", "4"));
  world.pass(5).settle();
  const WorkloadId one = world.run(WorkloadBuilder("one", "a").gpus("1"));
  const WorkloadId two = world.run(WorkloadBuilder("two", "a").gpus("1"));
  world.scheduler.remove(one, world.now);
  const auto at = world.scheduler.due_at();
  world.now = world.now + Duration{500'000'000};
  world.scheduler.remove(two, world.now);
  EXPECT_EQ(world.scheduler.due_at(), at);
}

TEST(PendingQueues, AWholeClassIsInadmissibleOnceOneOfItFailed) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  world.pass(5).settle();
  const WorkloadId running = world.run(WorkloadBuilder("running", "q").gpus("3").created(0));
  for (int i = 1; i < 6; ++i) world.submit(WorkloadBuilder("w" + std::to_string(i), "q").gpus("2").created(i));
  const WorkloadId other = world.submit(WorkloadBuilder("other", "q").gpus("2").priority(-1));
  EXPECT_EQ(world.round().decisions.size(), 1);
  EXPECT_EQ(inadmissible(world, "q"), 5);
  EXPECT_EQ(ready(world, "q"), 1);
  world.submit(WorkloadBuilder("late", "q").gpus("2").created(9));  // it is known to fail
  EXPECT_EQ(inadmissible(world, "q"), 6);
  world.settle();
  EXPECT_FALSE(world.runs(other));
  world.scheduler.remove(running, world.now);
  world.pass(1).settle();
  EXPECT_TRUE(world.runs(world.scheduler.workloads().find("ns/w1")));
  EXPECT_TRUE(world.runs(world.scheduler.workloads().find("ns/w2")));
  EXPECT_EQ(order(world, "q"), "w3 w4 w5 late other ");
}

TEST(PendingQueues, ClassesOfStrictQueuesDoNotFailTogether) {
  World world;
  world.add(QueueBuilder("q").strict().quota("f", "1"));
  for (int i = 1; i < 4; ++i) world.submit(WorkloadBuilder("w" + std::to_string(i), "q").gpus("2").created(i));
  world.settle();
  EXPECT_EQ(ready(world, "q"), 3);
}

TEST(PendingQueues, ClassesDoNotFailTogetherWithoutTheGate) {
  Settings settings;
  settings.moves_classes = false;
  World world(settings);
  world.add(QueueBuilder("q").quota("f", "1"));
  for (int i = 1; i < 4; ++i) world.submit(WorkloadBuilder("w" + std::to_string(i), "q").gpus("2").created(i));
  world.round();
  EXPECT_EQ(ready(world, "q"), 2);
}

TEST(PendingQueues, WhatBacksOffIsLeftOutUntilItsTime) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  WorkloadBuilder it("w", "q");
  it.gpus("1").object().status.requeue_state = {1, world.now + Duration::seconds(60)};
  it.condition("Requeued", "False", "PodsReadyTimeout");
  const WorkloadId id = world.run(it);
  EXPECT_FALSE(world.runs(id));
  world.pass(59).settle();
  EXPECT_FALSE(world.runs(id));
  EXPECT_EQ(world.scheduler.due_at(), world.now + Duration::seconds(1));
  world.pass(1).settle();
  EXPECT_TRUE(world.runs(id));
}

TEST(PendingQueues, WhatIsHeldBackComesWithItsObject) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  WorkloadBuilder it("w", "q");
  it.gpus("1").condition("Requeued", "False", "LocalQueueStopped");
  const WorkloadId id = world.run(it);
  world.pass(100).settle();
  EXPECT_FALSE(world.runs(id));
  it.object().status.conditions.clear();
  world.run(it);
  EXPECT_TRUE(world.runs(id));
}

TEST(PendingQueues, NamespacesThatAreNotTheQueuesStayOut) {
  World world;
  QueueBuilder queue("q");
  queue.quota("f", "4").object().namespace_selector->match_labels = {{"team", "a"}};
  world.add(queue);
  const WorkloadId id = world.submit(WorkloadBuilder("w", "q").gpus("1"));
  EXPECT_EQ(world.settle()["w"], "other namespace");
  world.pass(5).settle();
  EXPECT_EQ(inadmissible(world, "q"), 1);
  world.scheduler.set_namespace("ns", {{"team", "a"}}, world.now);
  world.pass(1).settle();
  EXPECT_TRUE(world.runs(id));
}

TEST(PendingQueues, AnEditOfWhatFailedMakesItReady) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  const WorkloadId id = world.run(WorkloadBuilder("w", "q").gpus("5"));
  EXPECT_EQ(inadmissible(world, "q"), 1);
  world.run(WorkloadBuilder("w", "q").gpus("5"));  // nothing new
  EXPECT_EQ(inadmissible(world, "q"), 1);
  world.run(WorkloadBuilder("w", "q").gpus("3"));
  EXPECT_TRUE(world.runs(id));
}

TEST(PendingQueues, APreemptorStaysTheHeadUntilItsVictimsAreGone) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4").within(QueuePreemptionPolicy::kLowerPriority));
  const WorkloadId victim = world.run(WorkloadBuilder("victim", "q").gpus("4").priority(-5));
  const WorkloadId preemptor = world.run(WorkloadBuilder("preemptor", "q").gpus("4"));
  EXPECT_TRUE(world.scheduler.workloads().at(victim).is_evicted);
  const WorkloadId higher = world.submit(WorkloadBuilder("higher", "q").gpus("4").priority(9));
  EXPECT_EQ(order(world, "q"), "preemptor higher ");
  world.scheduler.remove(victim, world.now);
  EXPECT_EQ(world.say(world.round().decisions.at(0)), "admitted f");
  EXPECT_TRUE(world.runs(preemptor));
  EXPECT_FALSE(world.runs(higher));
}

TEST(PendingQueues, ALocalQueueLeadsToAQueueThatComesLater) {
  World world;
  const WorkloadId id = world.submit(WorkloadBuilder("w", "q").gpus("1"));
  EXPECT_EQ(world.scheduler.pending().place(id), PendingQueues::Place::kNone);
  world.add(QueueBuilder("q").quota("f", "1")).settle();
  EXPECT_TRUE(world.runs(id));
}

TEST(PendingQueues, NothingStandsInAStoppedLocalQueueOrARemovedOne) {
  World world;
  world.add(QueueBuilder("q").quota("f", "0"));
  const WorkloadId id = world.run(WorkloadBuilder("w", "q").gpus("1"));
  kube::LocalQueue local;
  local.metadata.name = "q";
  local.metadata.namespace_ = "ns";
  local.cluster_queue = "q";
  local.stop_policy = kube::StopPolicy::kHold;
  world.scheduler.set(local);
  EXPECT_EQ(world.scheduler.pending().place(id), PendingQueues::Place::kNone);
  local.stop_policy = kube::StopPolicy::kNone;
  world.scheduler.set(local);
  EXPECT_EQ(world.scheduler.pending().place(id), PendingQueues::Place::kReady);
  world.scheduler.remove_local_queue("ns", "q");
  EXPECT_EQ(world.scheduler.pending().place(id), PendingQueues::Place::kNone);
  world.scheduler.remove_queue("q");
  world.add(QueueBuilder("q").quota("f", "1")).settle();
  EXPECT_TRUE(world.runs(id));
}

TEST(PendingQueues, ATreeThatBecameACircleSinceItWasHelpedStays) {
  World world;
  world.add(QueueBuilder("q").cohort("A").quota("f", "0"));
  world.run(WorkloadBuilder("w", "q").gpus("1"));
  world.pass(5).settle();
  world.add_cohort("A", "");
  world.add_cohort("B", "A").add_cohort("A", "B");
  world.pass(1).scheduler.elapse(world.now);
  EXPECT_EQ(inadmissible(world, "q"), 1);
  world.add_cohort("A", "");
  world.pass(1).scheduler.elapse(world.now);
  EXPECT_EQ(ready(world, "q"), 1);
}

TEST(PendingQueues, StoppedQueuesHaveNoHeads) {
  World world;
  QueueBuilder queue("q");
  queue.quota("f", "4").object().stop_policy = kube::StopPolicy::kHold;
  world.add(queue);
  const WorkloadId id = world.run(WorkloadBuilder("w", "q").gpus("1"));
  EXPECT_FALSE(world.runs(id));
  queue.object().stop_policy = kube::StopPolicy::kNone;
  world.add(queue).settle();
  EXPECT_TRUE(world.runs(id));
}

/// Against a list that is sorted, and two sets: what is ready, and which classes are known to fail.
class PendingHistory : public ::testing::TestWithParam<int> {};

TEST_P(PendingHistory, EqualsSortedLists) {
  Rng random(static_cast<std::uint64_t>(GetParam()));
  World world;
  world.add(QueueBuilder("q").quota("f", "0"));  // nothing fits
  const QueueId queue = world.scheduler.queues().find("q");
  struct Known {
    int priority;
    int created;
    int gpus;
    bool is_ready;
  };
  std::map<std::string, Known> all;
  std::set<std::pair<int, int>> failing;
  const auto key = [&](const std::string& name) { return std::tuple(-all[name].priority, all[name].created, name); };
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t what = random.below(10);
    const std::string name = "w" + std::to_string(random.below(30));
    const bool decides = what >= 6;
    if (what < 6 && !all.contains(name)) {
      const Known it{static_cast<int>(random.below(2)), static_cast<int>(random.below(5)),
                     1 + static_cast<int>(random.below(2)), true};
      all[name] = it;
      all[name].is_ready = !failing.contains({it.priority, it.gpus});
      world.submit(WorkloadBuilder(name, "q").gpus(std::to_string(it.gpus)).priority(it.priority).created(it.created));
    } else if (what < 6) {
      all.erase(name);
      world.scheduler.remove(world.scheduler.workloads().find("ns/" + name), world.now);
    } else if (what < 7) {
      world.scheduler.set(testing::flavor("f", {{"step", std::to_string(i)}}), world.now);  // that may help
      world.pass(1);
      failing.clear();
      for (auto& [_, it] : all) it.is_ready = true;
      if (world.scheduler.pending().due_at()) world.scheduler.decide_round(world.now);
    } else {
      world.scheduler.decide_round(world.now);
    }
    if (decides) {
      std::vector<std::string> names;
      for (const auto& [each, it] : all) {
        if (it.is_ready) names.push_back(each);
      }
      std::ranges::sort(names, {}, key);
      if (!names.empty()) {
        const std::pair head(all[names[0]].priority, all[names[0]].gpus);
        failing.insert(head);
        for (auto& [_, it] : all) it.is_ready = it.is_ready && std::pair(it.priority, it.gpus) != head;
      }
    }
    std::vector<std::string> names;
    for (const auto& [each, it] : all) names.push_back(each);
    std::ranges::sort(names, {}, key);
    std::string expected;
    for (const std::string& each : names) expected += each + " ";
    ASSERT_EQ(order(world, "q"), expected);
    for (const auto& [each, it] : all) {
      const WorkloadId id = world.scheduler.workloads().find("ns/" + each);
      ASSERT_EQ(world.scheduler.pending().place(id) == PendingQueues::Place::kReady, it.is_ready)
          << each << " at " << i;
    }
    const auto are_ready = std::ranges::count_if(all, [](const auto& it) { return it.second.is_ready; });
    ASSERT_EQ(world.scheduler.pending().ready_count(queue), static_cast<std::size_t>(are_ready));
    ASSERT_EQ(world.scheduler.pending().inadmissible_count(queue), all.size() - static_cast<std::size_t>(are_ready));
  }
}

const int kFirstOfPending = cluster::testing::number_of("LOADLINE_QUOTA_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, PendingHistory,
                         ::testing::Range(kFirstOfPending,
                                          kFirstOfPending + cluster::testing::number_of("LOADLINE_QUOTA_SEEDS", 10)));

}  // namespace
}  // namespace loadline::queue::kueue
