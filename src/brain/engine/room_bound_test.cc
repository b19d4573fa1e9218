#include "brain/engine/room_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/placement/testing/ignored_resources.h"
#include "foundation/base/rng.h"

namespace loadline::engine {

using decision::PodTurn;
using decision::Turn;

namespace {

using cluster::GroupId;
using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using placement::testing::kFpga;
using placement::testing::kWaysToLeave;
using placement::testing::Leaving;

struct RoomBoundTest : placement::testing::PlacementFixture {
  std::optional<RoomBound> bound;
  std::int64_t room_for(const PodBuilder& builder) {
    if (!bound) bound.emplace(cluster_, scheduler());
    const PodId id = add(builder);
    return bound->of(cluster_.pod(id).shape, cluster_.pod(id).priority);
  }
};

TEST_F(RoomBoundTest, CountsByTheScarcestResourceOfEachNode) {
  add(node("a").allocatable("nvidia.com/gpu", "8"));
  add(node("b").allocatable("nvidia.com/gpu", "1"));
  add(node("c"));
  // Of a, 4 CPUs are enough for two; c has no GPU.
  EXPECT_EQ(room_for(pod("p").request("cpu", "2").request("nvidia.com/gpu", "1")), 3);
  EXPECT_EQ(room_for(pod("q").request("cpu", "1500m")), 6);
}

TEST_F(RoomBoundTest, CountsThePlacesOfPods) {
  add(node("a").allocatable("pods", "3"));
  EXPECT_EQ(room_for(pod("p").request("cpu", "1m")), 3);
}

TEST_F(RoomBoundTest, TakesPodsOfLowerPriorityForGone) {
  const NodeId on = add(node("a"));
  add(pod("low").priority(1).request("cpu", "3"), on);
  EXPECT_EQ(room_for(pod("equal").priority(1).request("cpu", "2")), 0);
  EXPECT_EQ(room_for(pod("higher").priority(2).request("cpu", "2")), 2);
}

TEST_F(RoomBoundTest, FollowsWhatHappens) {
  const NodeId on = add(node("a"));
  const PodBuilder wanted = pod("p").request("cpu", "2");
  EXPECT_EQ(room_for(wanted), 2);
  const PodId there = add(pod("q").request("cpu", "3"), on);
  EXPECT_EQ(room_for(wanted), 0);
  cluster_.remove_pod(there);
  EXPECT_EQ(room_for(wanted), 2);
  add(node("b"));
  EXPECT_EQ(room_for(wanted), 4);
  cluster_.remove_node(on);
  EXPECT_EQ(room_for(wanted), 2);
}

TEST_F(RoomBoundTest, CountsWhatTheProfileOfThePodCompares) {
  for (const Leaving how : kWaysToLeave) {
    kube::SchedulerProfile& profile = configuration_.profiles.emplace_back();
    profile.scheduler_name = ::testing::PrintToString(how);
    leave_out(profile, how);
  }
  add(node("a").allocatable("cpu", "4"));
  const auto wanted = [](const std::string& scheduler) {
    return pod("p").request("cpu", "1").request(kFpga, "1").scheduler(scheduler);
  };
  EXPECT_EQ(room_for(pod("p").request("cpu", "1").request(kFpga, "1")), 0);
  EXPECT_EQ(room_for(wanted("IgnoredResource")), 4);
  EXPECT_EQ(room_for(wanted("IgnoredGroup")), 4);
  EXPECT_EQ(room_for(wanted("ManagedByExtender")), 4);
  EXPECT_EQ(room_for(wanted("NoFilter")), placement::kNoLimit);
}

// ---- what is left waiting would fail --------------------------------------------------------------------------------

class WithRoom : public testing::DispatcherFixture, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  PodBuilder random_pod() {
    const auto cpus = 1 + rng_.below(3);
    PodBuilder builder = pod(fmt::format("p{}", ++made_)).request("cpu", fmt::format("{}", cpus));
    if (schedulers_.size() > 1) builder.request(kFpga, fmt::format("{}", rng_.below(3)));
    builder.scheduler(schedulers_[rng_.below(schedulers_.size())]);
    return builder.priority(static_cast<std::int32_t>(rng_.below(5) == 0 ? 1 : 0));
  }
  /// Some nodes offer the resource, and a profile of each kind leaves it out, beside one that does not.
  void begin_with_ignored_resources() {
    for (const Leaving how : kWaysToLeave) {
      kube::SchedulerProfile& profile = configuration_.profiles.emplace_back();
      profile.scheduler_name = ::testing::PrintToString(how);
      leave_out(profile, how);
      schedulers_.push_back(profile.scheduler_name);
    }
    for (int i = 0; i < 4; ++i) add(node(fmt::format("n{}", i)).allocatable(kFpga, fmt::format("{}", i)));
    use_dispatcher();
  }
  void use_dispatcher() {
    dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), configuration_, extensions_),
                        Refusals::kUntold);
  }
  void live() {
    for (int step = 0; step < 60; ++step) {
      rng_.below(2) == 0 ? arrive() : leave();
      settle();
      expect_that_nothing_would_start();
    }
  }
  void arrive() {
    if (rng_.below(3) > 0) {
      pods_.push_back(submit(random_pod()));
      return;
    }
    const std::string name = fmt::format("g{}", ++made_);
    const int size = 2 + static_cast<int>(rng_.below(3));
    describe(name, size);
    for (const PodId member : submit(random_pod(), name, size)) pods_.push_back(member);
  }
  void leave() {
    std::vector<PodId> placed;
    for (const PodId each : pods_) {
      if (cluster_.pod(each).node.valid()) placed.push_back(each);
    }
    if (placed.empty()) return;
    const PodId gone = placed[rng_.below(placed.size())];
    std::erase(pods_, gone);
    cluster_.remove_pod(gone);
    dispatcher().capacity_freed();
  }
  /// Takes all turns; victims are gone at once.
  void settle() {
    for (const Turn& turn : take_turns()) {
      for (const PodTurn& each : turn.pods) {
        for (const PodId victim : each.victims) std::erase(pods_, victim);
      }
    }
  }
  /// Gives everything that waits another turn, whether there is room or not.
  void expect_that_nothing_would_start() {
    for (const PodId each : pods_) {
      if (!cluster_.pod(each).node.valid()) dispatcher().retry(each);
    }
    for (const Turn& turn : take_turns()) {
      for (const PodTurn& each : turn.pods) {
        EXPECT_FALSE(each.node.valid()) << cluster_.pod_name(each.pod) << " was not woken, and fits";
      }
    }
  }

  Rng rng_{GetParam()};
  std::vector<PodId> pods_;
  std::vector<std::string> schedulers_ = {"default-scheduler"};
  std::size_t made_ = 0;
};

TEST_P(WithRoom, WhatIsNotWokenWouldFail) {
  for (int i = 0; i < 3; ++i) add(node(fmt::format("n{}", i)));
  use_dispatcher();
  live();
}

TEST_P(WithRoom, WhatIsIgnoredKeepsNobodyAsleep) {
  begin_with_ignored_resources();
  live();
}

INSTANTIATE_TEST_SUITE_P(Seeds, WithRoom, ::testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace loadline::engine
