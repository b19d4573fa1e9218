#include "brain/gang/planned_start.h"

#include <gmock/gmock.h>

#include <string>

#include "brain/gang/group_attempt.h"
#include "brain/placement/testing/placement_fixture.h"
#include "foundation/base/rng.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;

constexpr Instant kPlanningTime = Instant{} + Duration::seconds(10'000);

class PlannedStartTest : public placement::testing::PlacementFixture {
 protected:
  NodeId machine(const std::string& name, std::uint64_t gpus) {
    return add(node(name).allocatable("nvidia.com/gpu", std::to_string(gpus)).allocatable("cpu", "64"));
  }
  PodId run(NodeId where, std::uint64_t gpus, std::uint64_t seconds) {
    const std::string name = "r" + std::to_string(++pods_);
    const PodId id = add(pod(name).request("nvidia.com/gpu", std::to_string(gpus)), where);
    cluster_.set_started(id, kPlanningTime);
    cluster_.set_expected_run(id, Duration::seconds(static_cast<std::int64_t>(seconds)));
    return id;
  }
  std::vector<PodId> gang(std::uint64_t size, std::uint64_t gpus) {
    const std::string name = "g" + std::to_string(++pods_);
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = static_cast<std::int32_t>(size);
    cluster_.set_pod_group(group);
    std::vector<PodId> members;
    for (std::uint64_t i = 0; i < size; ++i) {
      members.push_back(
          add(pod(name + '-' + std::to_string(i)).request("nvidia.com/gpu", std::to_string(gpus)).group(name)));
      cluster_.set_expected_run(members.back(), Duration::seconds(50));
    }
    return members;
  }
  Waiter waiter(const std::vector<PodId>& members) {
    return {members, members.size(), [this, members] {
              return attempt(cluster_, scheduler(), cluster_.pod(members.front()).group, members).verdict ==
                     Verdict::kStarts;
            }};
  }
  static std::int64_t seconds(Instant at) { return (at - kPlanningTime).nanoseconds / 1'000'000'000; }

  std::vector<PodId> running_;
  int pods_ = 0;
};

TEST_F(PlannedStartTest, TheEarliestTimeIsThatOfATrialAtEveryEnd) {
  Rng rng(7);
  int planned = 0;
  for (int round = 0; round < 60; ++round) {
    for (const PodId old : running_) cluster_.remove_pod(old);
    running_.clear();
    if (cluster_.node_count() == 0) {
      for (int i = 0; i < 4; ++i) machine("n" + std::to_string(i), 4 + 4 * (i % 2));
    }
    for (const NodeId each : cluster_.nodes()) {
      std::uint64_t left = each.index() % 2 == 0 ? 4 : 8;
      while (left > 0 && rng.below(5) > 0) {
        const std::uint64_t gpus = 1 + rng.below(left);
        running_.push_back(run(each, gpus, 1 + rng.below(40)));
        left -= gpus;
      }
    }
    const std::vector<PodId> members = gang(1 + rng.below(5), 1 + rng.below(6));
    StartPlanner planner(cluster_, scheduler(), kPlanningTime);
    std::optional<std::int64_t> expected;
    for (const End& end : planner.ends().all()) {
      if (expected || !planner.at(waiter(members), end.at, {})) continue;
      expected = seconds(end.at);
    }
    const std::optional<PlannedStart> start = planner.earliest(waiter(members), {});
    ASSERT_EQ(start.has_value(), expected.has_value()) << "round " << round;
    if (start) {
      EXPECT_EQ(seconds(start->at), *expected) << "round " << round;
      EXPECT_TRUE(planner.holds(*start, {})) << "round " << round;
      EXPECT_FALSE(planner.earliest(waiter(members), {}, start->at)) << "nothing is earlier than the earliest";
      ++planned;
    }
    for (const PodId each : members) cluster_.remove_pod(each);
  }
  EXPECT_GT(planned, 20);
}

TEST_F(PlannedStartTest, AStartIsPlannedAroundOthersForAsLongAsItsRunLasts) {
  const NodeId a = machine("a", 8);
  const NodeId b = machine("b", 8);
  run(a, 8, 100);
  run(b, 8, 120);
  StartPlanner planner(cluster_, scheduler(), kPlanningTime);
  const std::vector<PodId> first = gang(2, 8);
  const std::optional<PlannedStart> other = planner.earliest(waiter(first), {});
  ASSERT_TRUE(other);
  EXPECT_EQ(seconds(other->at), 120);
  // Machine a is free at 100 s, but the second runs for 50 s, and the first needs it 20 s later.
  const std::vector<PodId> second = gang(1, 8);
  const std::optional<PlannedStart> after = planner.earliest(waiter(second), {&*other});
  ASSERT_TRUE(after);
  EXPECT_EQ(seconds(after->at), 170) << "when the first has ended";
}

TEST_F(PlannedStartTest, WhatTakesThePlacesAwayIsSeen) {
  const NodeId a = machine("a", 8);
  const PodId running = run(a, 4, 100);
  const std::vector<PodId> members = gang(1, 8);
  const std::optional<PlannedStart> start =
      StartPlanner(cluster_, scheduler(), kPlanningTime).earliest(waiter(members), {});
  ASSERT_TRUE(start);
  EXPECT_EQ(StartPlanner(cluster_, scheduler(), kPlanningTime).awaited(*start), std::vector<PodId>{running});
  run(a, 1, 100);
  EXPECT_TRUE(StartPlanner(cluster_, scheduler(), kPlanningTime).holds(*start, {})) << "it ends by then";
  run(a, 1, 101);
  EXPECT_FALSE(StartPlanner(cluster_, scheduler(), kPlanningTime).holds(*start, {}));
}

}  // namespace
}  // namespace loadline::gang
