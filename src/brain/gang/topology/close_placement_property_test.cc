// On random clusters: a placement keeps what the group asks for, and a refusal is right.
#include <gmock/gmock.h>

#include <random>

#include "brain/gang/testing/topology_fixture.h"

namespace loadline::gang {
namespace {

using testing::NodeId;
using testing::PodId;
using testing::TopologyWish;

/// A node as the test knows it.
struct Known {
  std::string block, rack;
  int free = 0;
  /// Its domain by the level's number; empty: it is in none.
  [[nodiscard]] std::string domain(int level) const {
    if (level == 0) return "cluster";
    if (block.empty() || (level == 2 && rack.empty())) return {};
    return level == 1 ? block : block + '/' + rack;
  }
};

class ClosePlacementProperty : public testing::TopologyFixture, public ::testing::WithParamInterface<int> {
 protected:
  int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
  void make_cluster() {
    random_.seed(static_cast<unsigned>(GetParam()));
    for (int i = 0; i < 2 + below(8); ++i) {
      Known known;
      if (below(9) > 0) known.block = "b" + std::to_string(below(2));
      if (below(9) > 0) known.rack = "r" + std::to_string(below(2));
      const int gpus = below(5);
      const NodeId id = add_node("n" + std::to_string(i), known.block, known.rack, gpus);
      const int used = below(gpus);
      for (int k = 0; k < used; ++k) add(testing::pod("busy").request("nvidia.com/gpu", "1"), id);
      known.free = gpus - used;
      nodes_[id] = known;
    }
    use_topology();
  }
  /// Free GPUs by domain of the level.
  std::map<std::string, int> rooms(int level) {
    std::map<std::string, int> sums;
    for (const auto& [id, known] : nodes_) {
      if (!known.domain(level).empty()) sums[known.domain(level)] += known.free;
    }
    return sums;
  }
  /// The least room of a domain that holds so many; nothing: none does.
  std::optional<int> best_room(int level, int pods) {
    std::optional<int> best;
    for (const auto& [domain, room] : rooms(level)) {
      if (room >= pods && (!best || room < *best)) best = room;
    }
    return best;
  }
  /// The one domain of the level that has all of them; nothing: there is none.
  std::optional<std::string> common_domain(const std::vector<PodId>& pods, int level) {
    std::set<std::string> found;
    for (const PodId each : pods) found.insert(nodes_.at(cluster_.pod(each).node).domain(level));
    if (found.size() != 1 || found.begin()->empty()) return std::nullopt;
    return *found.begin();
  }
  void expect_no_overcommit() {
    for (const auto& [id, known] : nodes_) {
      const auto gpu = cluster_.resources().find("nvidia.com/gpu");
      EXPECT_LE(cluster_.requested(id, gpu), cluster_.allocatable(id, gpu));
    }
  }

  std::mt19937 random_;
  std::map<NodeId, Known> nodes_;
};

constexpr const char* kLevels[] = {"", "block", "rack"};

TEST_P(ClosePlacementProperty, ARequiredLevelIsKeptAndRefusedOnlyIfNoDomainHoldsTheGroup) {
  make_cluster();
  const int level = 1 + below(1);
  const int pods = 1 + below(9);
  const std::vector<PodId> gang = submit_gang("gang", required(kLevels[level]), pods);
  take_turns();
  const std::optional<int> best = best_room(level, pods);
  ASSERT_EQ(placed(gang), best ? gang.size() : 0U);
  expect_no_overcommit();
  if (!best) return;
  const std::optional<std::string> domain = common_domain(gang, level);
  ASSERT_TRUE(domain.has_value());
  EXPECT_EQ(rooms(level)[*domain], *best) << "the smallest that holds it";
}

TEST_P(ClosePlacementProperty, APreferenceIsLeftOneLevelAtATime) {
  make_cluster();
  const int pods = 1 + below(9);
  const std::vector<PodId> gang = submit_gang("gang", preferred("rack"), pods);
  take_turns();
  int level = 2;
  while (level > 0 && !best_room(level, pods)) --level;
  ASSERT_EQ(placed(gang), best_room(level, pods) ? gang.size() : 0U);
  expect_no_overcommit();
  if (placed(gang) > 0) {
    EXPECT_TRUE(common_domain(gang, level).has_value());
  }
}

TEST_P(ClosePlacementProperty, WithSurplusMembersTheMinimumDecides) {
  make_cluster();
  const int least = 1 + below(5);
  const int pods = least + below(5);
  describe("gang", least);
  const std::vector<PodId> gang = submit(member(required("rack")), "gang", pods);
  take_turns();
  int most = 0;
  for (const auto& [domain, room] : rooms(2)) most = std::max(most, room);
  const int expected = most >= pods ? pods : most >= least ? most : 0;
  EXPECT_EQ(placed(gang), static_cast<std::size_t>(expected));
}

TEST_P(ClosePlacementProperty, AMemberThatIsReplacedStaysInTheDomain) {
  make_cluster();
  const int pods = 2 + below(4);
  std::vector<PodId> gang = submit_gang("gang", required("rack"), pods);
  take_turns();
  if (placed(gang) == 0) return;
  cluster_.remove_pod(gang.back());
  gang.back() = submit(member(required("rack")).group("gang"));
  take_turns();
  ASSERT_EQ(placed(gang), gang.size()) << "its place is still free";
  EXPECT_TRUE(common_domain(gang, 2).has_value());
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClosePlacementProperty, ::testing::Range(0, 300));

}  // namespace
}  // namespace loadline::gang
