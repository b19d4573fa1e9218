// Groups with a preferred level under groupShares: Balanced, decided by the dispatcher as in a plan.
#include <gmock/gmock.h>

#include "brain/gang/testing/topology_fixture.h"

namespace loadline::gang {
namespace {

using testing::PodId;
using Spots = std::map<std::string, int>;

class BalancedPlacementTest : public testing::TopologyFixture {
 protected:
  BalancedPlacementTest() { dispatcher().set_switches({.shares = GroupShares::kBalanced}); }

  /// Racks r0, r1, … of block b1 with nodes of these GPUs: r0-0, r0-1, …
  void add_racks(const std::vector<std::vector<int>>& racks) {
    for (std::size_t i = 0; i < racks.size(); ++i) {
      const std::string rack = "r" + std::to_string(i);
      for (std::size_t j = 0; j < racks[i].size(); ++j) {
        add_node(rack + '-' + std::to_string(j), "b1", rack, racks[i][j]);
      }
    }
    use_topology();
  }
};

TEST_F(BalancedPlacementTest, RacksGetEqualShares) {
  add_racks({{15}, {15}});
  const std::vector<PodId> gang = submit_gang("gang", preferred("rack"), 25);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r0-0", 13}, {"r1-0", 12}}));
}

TEST_F(BalancedPlacementTest, NodesOfARackGetEqualShares) {
  add_racks({{15, 13, 10}});
  const std::vector<PodId> gang = submit_gang("gang", preferred("rack"), 23);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r0-0", 12}, {"r0-1", 11}}));
}

TEST_F(BalancedPlacementTest, TheRackIsTakenWhereSharesAreMoreEqual) {
  add_racks({{20, 10}, {15, 15}});
  const std::vector<PodId> gang = submit_gang("gang", preferred("rack"), 22);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r1-0", 11}, {"r1-1", 11}}));
}

TEST_F(BalancedPlacementTest, OneNodeIsMoreEqualThanTwo) {
  add_racks({{20, 10}, {15, 15}});
  const std::vector<PodId> gang = submit_gang("gang", preferred("rack"), 20);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r0-0", 20}}));
}

TEST_F(BalancedPlacementTest, SlicesAreDividedEqually) {
  add_racks({{15}, {15}});
  testing::TopologyWish wish = slices(5, kHost);
  wish.preferred = "rack";
  const std::vector<PodId> gang = submit_gang("gang", wish, 25);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r0-0", 15}, {"r1-0", 10}}));
}

TEST_F(BalancedPlacementTest, ALeaderGoesBesideItsWorkers) {
  add_racks({{8, 8, 8}, {8}});
  describe("gang", 13);
  std::vector<PodId> gang = submit(member(preferred("rack")), "gang", 12);
  testing::PodBuilder leader = testing::pod("leader").request("cpu", "1").never_preempts();
  leader.pod().metadata.annotations["kueue.x-k8s.io/podset-preferred-topology"] = "rack";
  gang.push_back(submit(leader.group("gang")));
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r0-0", 7}, {"r0-1", 6}}));
}

TEST_F(BalancedPlacementTest, WhatIsAddedEvensOutWhatIsThere) {
  add_racks({{8, 8, 8}});
  describe("gang", 1);
  std::vector<PodId> gang;
  for (const auto& [name, count] : Spots{{"r0-0", 4}, {"r0-1", 2}}) {
    for (int i = 0; i < count; ++i) {
      testing::PodBuilder one = member(preferred("rack"));
      one.pod().metadata.name = name + "-" + std::to_string(i);
      gang.push_back(add(one.group("gang"), cluster_.find_node(name)));
    }
  }
  const std::vector<PodId> more = submit(member(preferred("rack")), "gang", 4);
  take_turns();
  EXPECT_EQ(spots(more), (Spots{{"r0-0", 1}, {"r0-1", 3}}));
}

TEST_F(BalancedPlacementTest, ARequiredLevelAloneIsFilledAsBefore) {
  add_racks({{15, 15}});
  const std::vector<PodId> gang = submit_gang("gang", required("rack"), 25);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"r0-0", 15}, {"r0-1", 10}}));
}

}  // namespace
}  // namespace loadline::gang
