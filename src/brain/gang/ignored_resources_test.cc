// A resource that a group's profile leaves out, and that no node offers, keeps the group from nothing: neither from a
// rack, nor from the search's places, nor from room that others make, nor from a planned start.
#include "brain/placement/testing/ignored_resources.h"

#include <gmock/gmock.h>

#include <numeric>
#include <string>

#include "brain/gang/planned_start.h"
#include "brain/gang/room_count.h"
#include "brain/gang/search/group_search.h"
#include "brain/gang/testing/topology_fixture.h"

namespace loadline::gang {
namespace {

using placement::testing::kFpga;
using placement::testing::Leaving;
using testing::NodeId;
using testing::pod;
using testing::PodBuilder;
using testing::PodId;
using ::testing::SizeIs;

class IgnoredResources : public testing::TopologyFixture, public ::testing::WithParamInterface<Leaving> {
 protected:
  static constexpr Instant kNow = Instant{} + Duration::seconds(10'000);

  IgnoredResources() { leave_out(configuration_.profiles[0], GetParam()); }

  static PodBuilder with_fpga(PodBuilder builder) { return builder.request(kFpga, "1"); }
  PodId run(NodeId where, int gpus, std::int64_t seconds) {
    const PodId id = add(pod("r").request("nvidia.com/gpu", std::to_string(gpus)), where);
    cluster_.set_started(id, kNow);
    cluster_.set_expected_run(id, Duration::seconds(seconds));
    return id;
  }
  std::vector<PodId> add_gang(const std::string& name, int size, int gpus) {
    describe(name, size);
    std::vector<PodId> members;
    for (int i = 0; i < size; ++i) {
      PodBuilder one = with_fpga(member({}, gpus));
      one.pod().metadata.name = name + '-' + std::to_string(i);
      members.push_back(add(one.group(name)));
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
};

TEST_P(IgnoredResources, AGroupSharesNodesOfARack) {
  add_node("a1", "b1", "r1", 2);
  add_node("a2", "b1", "r1", 2);
  add_node("c1", "b1", "r2", 3);
  use_topology();
  describe("gang", 4);
  const std::vector<PodId> gang = submit(with_fpga(member(required("rack"))), "gang", 4);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(placed(gang), 4U);
}

TEST_P(IgnoredResources, OthersMakeRoomForAGroup) {
  for (const char* name : {"a", "b"}) {
    const NodeId on = add_node(name, "", "", 8);
    add(pod(std::string("on-") + name).request("nvidia.com/gpu", "8").request(kFpga, "1"), on);
  }
  describe("gang", 2);
  PodBuilder important = pod("p").request("nvidia.com/gpu", "8").request(kFpga, "1").priority(100);
  const std::vector<PodId> gang = submit(important, "gang", 2);
  take_turns();
  EXPECT_EQ(placed(gang), 2U);
}

TEST_P(IgnoredResources, ACountOfRoomLeavesItOut) {
  const NodeId on = add_node("a", "", "", 8);
  const std::vector<PodId> members = add_gang("gang", 3, 2);
  std::vector<RoomNeed> needs = room_needs(cluster_, scheduler(), members, 3);
  ASSERT_THAT(needs, SizeIs(1));
  needs[0].nodes = {on};
  EXPECT_EQ(RoomCount(cluster_, needs).missing(), 0);
}

TEST_P(IgnoredResources, TheSearchFindsPlaces) {
  add_node("a", "", "", 8);
  add_node("b", "", "", 8);
  std::vector<PodId> members = add_gang("small", 2, 4);
  members.push_back(add_gang("large", 1, 8).front());
  const GroupSearch found = search_group(cluster_, scheduler(), {members, 3, {}}, cluster_.nodes());
  EXPECT_EQ(found.report.ending, SearchEnding::kFound);
}

TEST_P(IgnoredResources, AStartIsPlanned) {
  if (GetParam() == Leaving::kNoFilter) return;  // it would start at once
  const NodeId a = add_node("a", "", "", 8);
  run(a, 8, 40);
  const std::vector<PodId> members = add_gang("gang", 2, 4);
  StartPlanner planner(cluster_, scheduler(), kNow);
  const std::optional<PlannedStart> start = planner.earliest(waiter(members), {});
  ASSERT_TRUE(start);
  EXPECT_EQ(start->at, kNow + Duration::seconds(40));
  EXPECT_TRUE(planner.has_room(*start, {}));
  EXPECT_TRUE(planner.holds(*start, {}));
}

/// The start's pods mind what others take that their own filters look at.
TEST_P(IgnoredResources, APodBesideAPlannedStartIsMeasuredByTheStartsFilters) {
  configuration_.profiles.emplace_back().scheduler_name = "counting";
  const NodeId a = add(testing::node("a").allocatable(kFpga, "2").allocatable("cpu", "64"));
  const auto planned_by = [&](const std::string& scheduler) {
    return PlannedStart{kNow, {}, {{add(pod("p").request(kFpga, "1").scheduler(scheduler)), a}}};
  };
  const PodId ignoring = add(pod("ignoring").request(kFpga, "2"));
  const PodId counting = add(pod("counting").request(kFpga, "2").scheduler("counting"));
  const StartPlanner planner(cluster_, scheduler(), kNow);
  for (const PodId each : {ignoring, counting}) {
    EXPECT_FALSE(planner.has_room_beside(planned_by("counting"), {}, a, each)) << cluster_.pod_name(each);
    EXPECT_TRUE(planner.has_room_beside(planned_by("default-scheduler"), {}, a, each)) << cluster_.pod_name(each);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, IgnoredResources, ::testing::ValuesIn(placement::testing::kWaysToLeave),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace loadline::gang
