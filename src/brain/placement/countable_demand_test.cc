#include "brain/placement/countable_demand.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "brain/cluster/testing/node_builder.h"
#include "brain/placement/testing/ignored_resources.h"
#include "brain/placement/testing/placement_fixture.h"
#include "foundation/base/rng.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using testing::kFpga;
using testing::Leaving;

class CountableDemandTest : public testing::PlacementFixture {
 protected:
  /// "cpu 2000, example.com/fpga 1, a place"; empty: nothing is counted.
  std::string demand_of(const PodBuilder& builder) {
    const CountableDemand& demand = scheduler().demand_of(add(builder));
    std::string text;
    for (const auto& [resource, amount] : demand.amounts) {
      text += fmt::format("{} {}, ", cluster_.resources().name(resource), amount);
    }
    return text + (demand.takes_place ? "a place" : "");
  }
  static PodBuilder wanting() {
    return pod("p").request("cpu", "2").request("memory", "0").request(kFpga, "1").request("nvidia.com/gpu", "4");
  }
};

TEST_F(CountableDemandTest, IsWhatThePodRequests) {
  EXPECT_EQ(demand_of(wanting()), "cpu 2000, example.com/fpga 1, nvidia.com/gpu 4, a place");
  EXPECT_EQ(demand_of(pod("q")), "a place");
}

TEST_F(CountableDemandTest, LeavesOutWhatTheProfileIgnores) {
  configuration_.profiles[0].args.fit.ignored_resources = {kFpga, "cpu"};
  EXPECT_EQ(demand_of(wanting()), "cpu 2000, nvidia.com/gpu 4, a place") << "cpu cannot be ignored";
}

TEST_F(CountableDemandTest, LeavesOutGroupsOfResources) {
  configuration_.profiles[0].args.fit.ignored_resource_groups = {"nvidia.com", "kubernetes.io"};
  EXPECT_EQ(demand_of(wanting()), "cpu 2000, example.com/fpga 1, a place");
}

TEST_F(CountableDemandTest, LeavesOutWhatExtendersAccountFor) {
  configuration_.profiles[0].args.fit.ignored_resources = {"nvidia.com/gpu"};  // replaced
  leave_out(configuration_.profiles[0], Leaving::kManagedByExtender);
  EXPECT_EQ(demand_of(wanting()), "cpu 2000, nvidia.com/gpu 4, a place");
}

TEST_F(CountableDemandTest, IsNothingWhereTheProfileDoesNotCompare) {
  leave_out(configuration_.profiles[0], Leaving::kNoFilter);
  EXPECT_EQ(demand_of(wanting()), "");
}

TEST_F(CountableDemandTest, IsThatOfThePodsOwnProfile) {
  configuration_.profiles.emplace_back().scheduler_name = "other";
  leave_out(configuration_.profiles[1], Leaving::kIgnoredResource);
  EXPECT_EQ(demand_of(pod("p").request(kFpga, "1")), "example.com/fpga 1, a place");
  EXPECT_EQ(demand_of(pod("q").request(kFpga, "1").scheduler("other")), "a place");
  EXPECT_EQ(demand_of(pod("r").request(kFpga, "1").scheduler("nobody")), "");
}

TEST_F(CountableDemandTest, FollowsAChangeOfTheProfile) {
  EXPECT_EQ(demand_of(pod("p").request(kFpga, "1")), "example.com/fpga 1, a place");
  leave_out(configuration_.profiles[0], Leaving::kIgnoredResource);
  ASSERT_TRUE(scheduler().set_profile(configuration_, configuration_.profiles[0], extensions_));
  EXPECT_EQ(demand_of(pod("p").request(kFpga, "1")), "a place");
}

TEST_F(CountableDemandTest, IdsOfShapesMayBeOthersAfterAReclaim) {
  const PodId gone = add(pod("p").request("cpu", "1"));
  EXPECT_EQ(scheduler().demand_of(gone).amounts.size(), 1U);
  cluster_.remove_pod(gone);
  scheduler().reclaim();
  EXPECT_EQ(demand_of(pod("q").request("cpu", "3").request(kFpga, "1")), "cpu 3000, example.com/fpga 1, a place");
}

TEST_F(CountableDemandTest, TheScarcestDecidesHowManyFit) {
  const NodeId on = add(node("n").allocatable("cpu", "8").allocatable("pods", "5").allocatable(kFpga, "3"));
  const auto fit = [&](const PodBuilder& builder) {
    return pods_that_fit(scheduler().demand_of(add(builder)), cluster_, on);
  };
  EXPECT_EQ(fit(pod("p").request("cpu", "2")), 4);
  EXPECT_EQ(fit(pod("p").request("cpu", "2").request(kFpga, "1")), 3);
  EXPECT_EQ(fit(pod("p").request("cpu", "1")), 5);
  add(pod("there").request("cpu", "9"), on);
  EXPECT_EQ(fit(pod("p").request("cpu", "1")), 0);
  EXPECT_EQ(fit(pod("p").request(kFpga, "1")), 3);
}

// ---- whether one has room is what the filter says -------------------------------------------------------------------

class AsTheFilter : public CountableDemandTest, public ::testing::WithParamInterface<Leaving> {};

TEST_P(AsTheFilter, OneFitsWhereTheFilterLetsIt) {
  leave_out(configuration_.profiles[0], GetParam());
  Rng rng(11);
  const auto upto = [&](std::uint64_t most) { return std::to_string(rng.below(most + 1)); };
  const auto random_pod = [&] {
    return pod("p").request("cpu", upto(3)).request(kFpga, upto(2)).request("nvidia.com/gpu", upto(2));
  };
  for (int i = 0; i < 30; ++i) {
    NodeId on = add(node(fmt::format("n{}", i))
                        .allocatable("cpu", upto(8))
                        .allocatable("pods", upto(6))
                        .allocatable(kFpga, upto(3))
                        .allocatable("nvidia.com/gpu", upto(4)));
    for (std::uint64_t there = rng.below(4); there > 0; --there) add(random_pod(), on);
  }
  std::size_t fitting = 0;
  for (int i = 0; i < 40; ++i) {
    const PodId wanted = add(random_pod());
    const std::vector<NodeId> fit = scheduler().fitting(wanted, cluster_.nodes());
    fitting += fit.size();
    for (const NodeId each : cluster_.nodes()) {
      EXPECT_EQ(pods_that_fit(scheduler().demand_of(wanted), cluster_, each) > 0, std::ranges::count(fit, each) == 1)
          << cluster_.node_name(each);
    }
  }
  EXPECT_GT(fitting, 100U);
}

INSTANTIATE_TEST_SUITE_P(Ways, AsTheFilter, ::testing::ValuesIn(testing::kWaysToLeave),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace loadline::placement
