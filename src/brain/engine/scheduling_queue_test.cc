#include "brain/engine/scheduling_queue.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::engine {

using decision::Need;
using decision::Unit;

namespace {

using cluster::PodId;
using cluster::testing::pod;
using cluster::testing::pods_with;

using Texts = std::vector<std::string>;

struct SchedulingQueueTest : placement::testing::PlacementFixture {
  UnitTable units{cluster_};
  SchedulingQueue queue{cluster_, units};

  PodId push(const cluster::testing::PodBuilder& builder) {
    const PodId id = add(builder);
    queue.push(Unit(id), id);
    return id;
  }
  /// The name of the next pod, "" if all are parked.
  std::string pop() {
    const auto id = queue.pop();
    return id ? cluster_.pod_name(id->pod) : "";
  }
  Texts drain() {
    Texts names;
    for (std::string name = pop(); !name.empty(); name = pop()) names.push_back(name);
    return names;
  }
  /// Pops the pod and parks it again, as after a failed attempt.
  void fail(PodId id, const placement::WakeUps& by = {}) {
    EXPECT_EQ(queue.pop(), Unit(id));
    queue.park(Unit(id), by);
  }
};

TEST_F(SchedulingQueueTest, PriorityComesFirstThenAge) {
  push(pod("old"));
  push(pod("urgent").priority(9));
  push(pod("young"));
  push(pod("idle").priority(-1));
  EXPECT_EQ(queue.waiting(), 4U);
  EXPECT_EQ(drain(), (Texts{"urgent", "old", "young", "idle"}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(SchedulingQueueTest, AParkedPodWaitsUntilSomethingHappens) {
  const PodId parked = push(pod("p"));
  fail(parked);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(pop(), "");
  queue.wake_all();
  EXPECT_EQ(pop(), "p");
}

TEST_F(SchedulingQueueTest, AWokenPodComesAfterThoseThatHaveNotBeenTried) {
  fail(push(pod("urgent").priority(9)));
  push(pod("fresh"));
  queue.wake_all();
  EXPECT_EQ(drain(), (Texts{"fresh", "urgent"}));
}

TEST_F(SchedulingQueueTest, PodsThatFailedLessOftenComeBackSooner) {
  const PodId urgent = push(pod("urgent").priority(9));
  fail(urgent);
  queue.wake(Unit(urgent));
  fail(urgent);
  fail(push(pod("once-low")));
  fail(push(pod("once-high").priority(5)));
  queue.wake_all();
  EXPECT_EQ(drain(), (Texts{"once-high", "once-low", "urgent"}));
}

TEST_F(SchedulingQueueTest, BackoffIsCappedSoPriorityCountsAgain) {
  const PodId low = push(pod("low"));
  const PodId high = add(pod("high").priority(9));
  for (int i = 0; i < 5; ++i) {
    fail(low);
    queue.wake(Unit(low));
  }
  fail(low);
  queue.push(Unit(high), high);
  for (int i = 0; i < 9; ++i) {
    fail(high);
    queue.wake(Unit(high));
  }
  fail(high);
  queue.wake_all();
  EXPECT_EQ(drain(), (Texts{"high", "low"}));
}

TEST_F(SchedulingQueueTest, OnceItsBackoffIsOverAPodStandsByPriorityAgain) {
  queue.set_now({1'500'000'000});
  fail(push(pod("urgent").priority(9)));  // until 2.5 s: it backs off in the second that begins at 2 s, and no longer
  push(pod("fresh"));
  queue.wake_all();
  queue.set_now({2'999'000'000});
  EXPECT_EQ(pop(), "fresh");
  push(pod("fresher"));
  queue.set_now({3'000'000'000});
  EXPECT_EQ(drain(), (Texts{"urgent", "fresher"}));
}

TEST_F(SchedulingQueueTest, APodThatWasParkedLongAgoDoesNotBackOffAnyMore) {
  const PodId urgent = push(pod("urgent").priority(9));
  fail(urgent);
  push(pod("fresh"));
  queue.set_now({60'000'000'000});
  queue.wake(Unit(urgent));
  EXPECT_EQ(drain(), (Texts{"urgent", "fresh"}));
}

TEST_F(SchedulingQueueTest, AFailureThatWasAskedForDoesNotCount) {
  const PodId id = push(pod("p"));
  EXPECT_TRUE(queue.is_new(Unit(id)));
  EXPECT_FALSE(queue.spare_if_asked_again(Unit(id)));
  fail(id);  // the first: it backs off for a second
  EXPECT_FALSE(queue.is_new(Unit(id)));
  queue.set_now({60'000'000'000});
  queue.wake_all();
  EXPECT_EQ(queue.pop(), Unit(id));
  EXPECT_TRUE(queue.spare_if_asked_again(Unit(id)));
  queue.park(Unit(id), {});
  EXPECT_FALSE(queue.spare_if_asked_again(Unit(id)));
  push(pod("younger"));
  queue.wake(Unit(id));
  EXPECT_EQ(drain(), (Texts{"p", "younger"})) << "it does not back off";
}

TEST_F(SchedulingQueueTest, WhatIsParkedUntriedHasFailedOnce) {
  const PodId id = push(pod("p"));
  EXPECT_EQ(queue.pop(), Unit(id));
  queue.park_untried(Unit(id), {});
  EXPECT_FALSE(queue.is_new(Unit(id)));
  push(pod("younger"));
  queue.wake(Unit(id));
  EXPECT_EQ(drain(), (Texts{"younger", "p"}));
}

TEST_F(SchedulingQueueTest, RoomThatCameBeforeAPodFailedDoesNotWakeIt) {
  add(cluster::testing::node("a"));
  RoomBound bound(cluster_, scheduler());
  const PodId id = push(pod("p").request("cpu", "1"));
  const Need need{cluster_.pod(id).shape, 0, 1};
  EXPECT_EQ(queue.pop(), Unit(id));
  queue.room_changed();
  queue.park(Unit(id), {}, need);
  queue.wake_with_room(bound);
  EXPECT_TRUE(queue.empty());
  queue.room_changed();
  EXPECT_TRUE(queue.is_room_changed());
  queue.wake_with_room(bound);
  EXPECT_FALSE(queue.is_room_changed());
  EXPECT_EQ(pop(), "p");
}

TEST_F(SchedulingQueueTest, APlacementWakesWhoWantedSuchCompany) {
  const PodId lonely = push(pod("lonely").near(pods_with("app", "db", "zone")));
  fail(lonely, {.by_affinity = true});
  queue.pod_placed(add(pod("web").label("app", "web")));
  EXPECT_TRUE(queue.empty());
  queue.pod_placed(add(pod("db").in("other").label("app", "db")));
  EXPECT_TRUE(queue.empty());
  queue.pod_placed(add(pod("db").label("app", "db")));
  EXPECT_EQ(pop(), "lonely");
}

TEST_F(SchedulingQueueTest, APlacementInTheNamespaceWakesWhoMustSpread) {
  fail(push(pod("spread")), {.by_namespace = true});
  queue.pod_placed(add(pod("elsewhere").in("other")));
  EXPECT_TRUE(queue.empty());
  queue.pod_placed(add(pod("here")));
  EXPECT_EQ(pop(), "spread");
}

TEST_F(SchedulingQueueTest, APlacementHelpsNoPodThatLacksRoom) {
  fail(push(pod("large").near(pods_with("app", "db", "zone"))));
  queue.pod_placed(add(pod("db").label("app", "db")));
  EXPECT_TRUE(queue.empty());
}

TEST_F(SchedulingQueueTest, ARemovedPodNeverComes) {
  const PodId active = push(pod("active"));
  queue.remove(Unit(active));
  EXPECT_TRUE(queue.empty());
  const PodId parked = push(pod("parked"));
  fail(parked);
  queue.remove(Unit(parked));
  queue.wake_all();
  EXPECT_TRUE(queue.empty());
  const PodId woken = push(pod("woken"));
  fail(woken);
  queue.wake(Unit(woken));
  queue.remove(Unit(woken));
  EXPECT_TRUE(queue.empty());
}

TEST_F(SchedulingQueueTest, WakingAPodThatIsNotParkedDoesNothing) {
  const PodId id = push(pod("p"));
  queue.wake(Unit(id));
  EXPECT_EQ(drain(), Texts{"p"});
}

}  // namespace
}  // namespace loadline::engine
