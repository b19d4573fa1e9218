#include "brain/placement/plugins/node_resources_balanced_allocation.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

ScoredResource of(std::int64_t capacity, std::int64_t without, std::int64_t with) {
  return {1, with, without, capacity};
}

TEST(BalancedAllocationTest, ComparesTheBalanceWithAndWithoutThePod) {
  struct Case {
    std::vector<ScoredResource> resources;
    std::int64_t score;
  };
  const Case cases[] = {
      {{of(100, 0, 50), of(100, 0, 50)}, 75},   // as balanced as before
      {{of(100, 50, 50), of(100, 0, 50)}, 87},  // 75 → 100: 50 + (50 + 25) / 2 = 87.5
      {{of(100, 0, 50), of(100, 0, 0)}, 62},    // 100 → 75: 50 + 25 / 2 = 62.5
      {{of(100, 0, 100), of(100, 0, 0)}, 50},   // 100 → 50
      {{of(100, 100, 100), of(100, 0, 100)}, 100},
      {{of(100, 50, 150), of(100, 50, 100)}, 75},  // fractions are capped at 1
      {{of(100, 10, 90)}, 75},                     // one resource is always balanced
      {{of(100, 10, 90), of(0, 5, 9)}, 75},        // without capacity: left out
      {{}, 75},
      // Three resources: the population's standard deviation. (1, 0, 0): √(2/9) = 0.4714 → 52; 50 + (50 + 52 − 100)
      // / 2.
      {{of(100, 0, 100), of(100, 0, 0), of(100, 0, 0)}, 51},
      // (0.5, 0.5, 0): √(1/18) = 0.2357 → 76; back to (0.5, 0.5, 0.5): 50 + (50 + 100 − 76) / 2.
      {{of(100, 50, 50), of(100, 50, 50), of(100, 0, 50)}, 87},
  };
  int number = 0;
  for (const Case& each : cases) {
    SCOPED_TRACE(number++);
    EXPECT_EQ(balanced_allocation(each.resources), each.score);
  }
}

struct BalancedTest : testing::PlacementFixture {
  NodeResourcesBalancedAllocation plugin{{}};
};

TEST_F(BalancedTest, PodsThatAskForNothingAreNotScored) {
  add(node("n"));
  EXPECT_EQ(scores(plugin, pod("p")), std::nullopt);
  EXPECT_EQ(scores(plugin, pod("p").request("nvidia.com/gpu", "1")), std::nullopt);
  EXPECT_NE(scores(plugin, pod("p").request("cpu", "1")), std::nullopt);
}

TEST_F(BalancedTest, UnpreparedItScoresSuchPodsZero) {
  add(node("n"));
  add(node("m"));
  kube::ProfilePlugins& plugins = configuration_.profiles[0].plugins;
  plugins.pre_score.disabled = {{"NodeResourcesBalancedAllocation", 0}};
  EXPECT_EQ(decide(add(pod("p")), Detail::kFull).attempt.best_score, 397);  // 300 of TaintToleration, 97 of Fit
}

TEST_F(BalancedTest, CountsRealRequestsWithoutAnyFloor) {
  const auto lopsided = add(node("lopsided").allocatable("cpu", "4").allocatable("memory", "4Gi"));
  add(node("even").allocatable("cpu", "4").allocatable("memory", "4Gi"));
  add(pod("there").request("cpu", "2"), lopsided);
  // lopsided: (0.5, 0) = 75 → (0.5, 0.5) = 100; even: (0, 0) = 100 → (0, 0.5) = 75.
  EXPECT_EQ(scores(plugin, pod("p").request("memory", "2Gi")), (Scores{87, 62}));
}

}  // namespace
}  // namespace loadline::placement
