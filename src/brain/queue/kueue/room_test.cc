#include "brain/queue/kueue/room.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using Policy = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

/// Nodes as numbers: so many pods of each flavor find one.
class CountedRoom final : public Room {
 public:
  RoomAnswer find(const RoomRequest& request) override {
    std::map<std::string, std::int64_t> left = free_;
    for (const std::string& workload : request.leaving) {
      for (const auto& [flavor, pods] : held_[workload]) left[flavor] += pods;
    }
    return fit(request, left);
  }
  RoomAnswer hold(const RoomRequest& request) override {
    RoomAnswer answer = fit(request, free_);
    if (answer.fit != decision::Fit::kYes) return answer;
    for (const auto& [flavor, pods] : asked(request)) {
      free_[flavor] -= pods;
      held_[request.workload][flavor] += pods;
    }
    return answer;
  }
  void let_go(std::string_view workload) override {
    const auto held = held_.find(std::string(workload));
    if (held == held_.end()) return;
    for (const auto& [flavor, pods] : held->second) free(flavor, pods);
    held_.erase(held);
  }
  [[nodiscard]] std::uint64_t times_freed() const override { return times_freed_; }

  void free(const std::string& flavor, std::int64_t pods) {
    free_[flavor] += pods;
    ++times_freed_;
  }
  [[nodiscard]] std::int64_t free(const std::string& flavor) { return free_[flavor]; }

 private:
  using Pods = std::map<std::string, std::int64_t>;

  static Pods asked(const RoomRequest& request) {
    Pods pods;
    for (const kube::PodSetAssignment& set : request.admission.pod_set_assignments) {
      pods[set.flavors.begin()->second] += *set.count;
    }
    return pods;
  }
  static RoomAnswer fit(const RoomRequest& request, Pods& left) {
    for (const auto& [flavor, pods] : asked(request)) {
      if (left[flavor] < pods) return {decision::Fit::kNo, std::to_string(left[flavor]) + " of " + flavor};
    }
    return {};
  }

  Pods free_;
  std::map<std::string, Pods> held_;
  std::uint64_t times_freed_ = 0;
};

class RoomTest : public ::testing::Test {
 protected:
  RoomTest() { world_.scheduler.set_room(&room_, world_.now); }
  std::string said() {
    std::string text;
    for (const Decision& it : world_.round().decisions) {
      text += world_.name(it.workload) + " " + world_.say(it) + "; ";
      why_ = it.why_no_room;
    }
    return text;
  }

  CountedRoom room_;
  World world_;
  std::string why_;
};

TEST_F(RoomTest, WhoFindsNoNodesWaitsWithoutQuotaUntilSomethingBecomesFree) {
  world_.add(QueueBuilder("a").quota("f", "9"));
  room_.free("f", 1);
  world_.submit(WorkloadBuilder("large", "a").pods(2, {{"gpu", "1"}}));
  world_.submit(WorkloadBuilder("small", "a").gpus("1").created(1));
  EXPECT_EQ(said(), "large no room; ");
  EXPECT_EQ(why_, "1 of f");
  EXPECT_EQ(world_.used("a"), 0);
  EXPECT_EQ(said(), "small admitted f; ");  // another class of workloads
  EXPECT_FALSE(world_.scheduler.is_due(world_.now));
  room_.free("f", 2);
  EXPECT_TRUE(world_.scheduler.is_due(world_.now));
  EXPECT_EQ(said(), "");  // those that wait come back together
  EXPECT_EQ(world_.scheduler.due_at(), world_.now + Duration::seconds(1));
  world_.pass(1);
  EXPECT_EQ(said(), "large admitted f; ");
  EXPECT_EQ(room_.free("f"), 0);
}

TEST_F(RoomTest, TheHeadOfAStrictQueueIsNotOvertaken) {
  world_.add(QueueBuilder("a").quota("f", "9").strict());
  room_.free("f", 1);
  world_.submit(WorkloadBuilder("large", "a").pods(2, {{"gpu", "1"}}));
  world_.submit(WorkloadBuilder("small", "a").gpus("1").created(1));
  EXPECT_EQ(said(), "large no room; ");
  EXPECT_FALSE(world_.scheduler.is_due(world_.now));
  room_.free("f", 1);
  EXPECT_EQ(said(), "large admitted f; ");
}

TEST_F(RoomTest, TheNextFlavorIsTriedWhereTheFirstHasNoNodes) {
  world_.add(QueueBuilder("a").quota("f", "9").quota("g", "9"));
  room_.free("g", 1);
  world_.submit(WorkloadBuilder("a1", "a").gpus("1"));
  world_.submit(WorkloadBuilder("a2", "a").gpus("1").created(1));
  EXPECT_EQ(said(), "a1 admitted g; ");
  EXPECT_EQ(said(), "a2 no room; ");
  EXPECT_FALSE(world_.scheduler.is_due(world_.now));
  room_.free("f", 1);
  world_.pass(1);
  world_.scheduler.elapse(world_.now);
  world_.pass(1);
  EXPECT_EQ(said(), "a2 admitted f; ");
}

TEST_F(RoomTest, NobodyIsEvictedForAWorkloadThatWouldFindNoNodes) {
  world_.add(QueueBuilder("a").quota("f", "4").within(Policy::kLowerPriority));
  room_.free("f", 2);
  const WorkloadId low = world_.run(WorkloadBuilder("low", "a").pods(2, {{"gpu", "2"}}));
  world_.submit(WorkloadBuilder("high", "a").pods(3, {{"gpu", "1"}}).priority(1));
  EXPECT_EQ(said(), "high no room low:own; ");
  EXPECT_TRUE(world_.runs(low));
  room_.free("f", 1);
  world_.scheduler.elapse(world_.now);
  world_.pass(1);
  EXPECT_EQ(said(), "high preempting low:own; ");
  EXPECT_FALSE(world_.runs(low));
  EXPECT_EQ(room_.free("f"), 3);  // its pods were not there yet
}

TEST_F(RoomTest, AWorkloadThatMayBeSmallerIsAsSmallAsNodesAsk) {
  world_.add(QueueBuilder("a").quota("f", "9"));
  room_.free("f", 3);
  const WorkloadId id = world_.submit(WorkloadBuilder("a1", "a").pods(5, {{"gpu", "1"}}).least(2));
  EXPECT_EQ(said(), "a1 admitted f; ");
  EXPECT_EQ(world_.used("a"), 3);
  EXPECT_EQ(room_.free("f"), 0);
  world_.scheduler.remove(id, world_.now);
  EXPECT_EQ(room_.free("f"), 3);
}

TEST_F(RoomTest, ASmallerOneThatWouldHaveQuotaWaitsForNodes) {
  world_.add(QueueBuilder("a").quota("f", "3"));
  world_.submit(WorkloadBuilder("a1", "a").pods(5, {{"gpu", "1"}}).least(2));
  EXPECT_EQ(said(), "a1 no room; ");
  EXPECT_EQ(why_, "0 of f");
  room_.free("f", 2);
  world_.scheduler.elapse(world_.now);
  world_.pass(1);
  EXPECT_EQ(said(), "a1 admitted f; ");
  EXPECT_EQ(world_.used("a"), 2);
}

TEST_F(RoomTest, WhatAWorkloadHeldIsFreeOnceItIsAskedToLeave) {
  world_.add(QueueBuilder("a").quota("f", "9"));
  room_.free("f", 3);
  const WorkloadId id = world_.run(WorkloadBuilder("a1", "a").pods(2, {{"gpu", "1"}}));
  EXPECT_EQ(room_.free("f"), 1);
  world_.scheduler.mark_evicted(id);
  EXPECT_EQ(room_.free("f"), 3);
}

TEST_F(RoomTest, QuotaIsEnoughWhereNobodyLooksForNodes) {
  world_.add(QueueBuilder("a").quota("f", "9"));
  world_.submit(WorkloadBuilder("a1", "a").gpus("1"));
  EXPECT_EQ(said(), "a1 no room; ");
  world_.scheduler.set_room(nullptr, world_.now);
  world_.submit(WorkloadBuilder("a2", "a").gpus("2"));
  EXPECT_EQ(said(), "a2 admitted f; ");
  world_.pass(1);
  EXPECT_EQ(said(), "a1 admitted f; ");  // it was refused for want of nodes alone
}

TEST_F(RoomTest, WhatIsHeldIsFreeOnceNobodyLooksForNodes) {
  world_.add(QueueBuilder("a").quota("f", "9"));
  room_.free("f", 3);
  world_.run(WorkloadBuilder("a1", "a").pods(2, {{"gpu", "1"}}));
  EXPECT_EQ(room_.free("f"), 1);
  world_.scheduler.set_room(nullptr, world_.now);
  EXPECT_EQ(room_.free("f"), 3);
}

TEST_F(RoomTest, ThoseWithoutNodesAreStillTriedAgainIfItIsSetOnceMore) {
  world_.add(QueueBuilder("a").quota("f", "9"));
  world_.submit(WorkloadBuilder("a1", "a").gpus("1"));
  EXPECT_EQ(said(), "a1 no room; ");
  world_.scheduler.set_room(&room_, world_.now);  // another switch of the policy has changed
  room_.free("f", 1);
  EXPECT_TRUE(world_.scheduler.is_due(world_.now));
}

}  // namespace
}  // namespace loadline::queue::kueue
