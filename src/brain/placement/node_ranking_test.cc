#include "brain/placement/node_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "foundation/base/rng.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;

constexpr RejectionId kNo{7};

struct NodeRankingTest : ::testing::Test {
  /// `count` nodes, in the order of their ids.
  void nodes(std::size_t count) {
    std::vector<NodeId> order;
    for (std::size_t i = 0; i < count; ++i) order.emplace_back(i);
    ranking_.reset(order, order.size());
  }
  NodeRanking ranking_;
};

TEST_F(NodeRankingTest, TheHighestScoreLeadsAndAmongEqualsTheFirstPosition) {
  ranking_.reset(std::vector<NodeId>{NodeId{2}, NodeId{0}, NodeId{1}}, 3);
  const std::uint32_t class_id = ranking_.class_of({});
  for (std::size_t i = 0; i < 3; ++i) ranking_.enter(NodeId{i}, class_id, 50);
  EXPECT_EQ(ranking_.leader(class_id).node, NodeId{2});
  ranking_.enter(NodeId{1}, class_id, 60);
  EXPECT_EQ(ranking_.leader(class_id).node, NodeId{1});
  ranking_.enter(NodeId{1}, class_id, 40);
  ranking_.enter(NodeId{2}, class_id, 40);
  EXPECT_EQ(ranking_.leader(class_id).node, NodeId{0});
  EXPECT_EQ(ranking_.leader(class_id).score, 50);
}

TEST_F(NodeRankingTest, KindsAreRankedApart) {
  nodes(2);
  const std::uint32_t a = ranking_.class_of({1, 2});
  const std::uint32_t b = ranking_.class_of({1, 3});
  EXPECT_EQ(ranking_.class_of({1, 2}), a);
  ranking_.enter(NodeId{0}, a, 1);
  ranking_.enter(NodeId{1}, b, 9);
  EXPECT_EQ(ranking_.leader(a).node, NodeId{0});
  ranking_.enter(NodeId{0}, b, 9);
  EXPECT_EQ(ranking_.classes()[a].nodes, 0U);
  EXPECT_EQ(ranking_.leader(b).node, NodeId{0});
}

TEST_F(NodeRankingTest, RejectionsAreCountedAndTakenBack) {
  nodes(3);
  const std::uint32_t class_id = ranking_.class_of({});
  EXPECT_FALSE(ranking_.rejection(NodeId{0}).valid());
  for (std::size_t i = 0; i < 3; ++i) ranking_.refuse(NodeId{i}, kNo);
  EXPECT_EQ(ranking_.refused()[kNo.index()], 3U);
  ranking_.enter(NodeId{0}, class_id, 1);
  ranking_.set_aside(NodeId{1});
  EXPECT_EQ(ranking_.refused()[kNo.index()], 1U);
  EXPECT_EQ(ranking_.rejection(NodeId{0}), kPassed);
  EXPECT_FALSE(ranking_.rejection(NodeId{1}).valid());
  EXPECT_EQ(ranking_.rejection(NodeId{2}), kNo);
}

TEST_F(NodeRankingTest, SortingOutLeavesOneOfEachHoweverMany) {
  nodes(1000);
  for (const std::size_t repeats : {std::size_t{1}, std::size_t{100}}) {
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < repeats; ++i) nodes.insert(nodes.end(), {NodeId{9}, NodeId{3}, NodeId{9}});
    ranking_.sort_out(nodes);
    EXPECT_EQ(nodes, (std::vector<NodeId>{NodeId{3}, NodeId{9}}));
  }
}

TEST_F(NodeRankingTest, WhateverMovesTheLeaderIsTheOneASearchFinds) {
  constexpr std::size_t kNodes = 40;
  nodes(kNodes);
  struct Place {
    std::uint32_t class_id = 0;
    std::int64_t score = -1;  // refused
  };
  std::vector<Place> places(kNodes);
  std::vector<std::uint32_t> classes;
  for (std::uint32_t i = 0; i < 3; ++i) classes.push_back(ranking_.class_of({i}));
  Rng rng(1);
  for (int step = 0; step < 20000; ++step) {
    const std::size_t n = rng.below(kNodes);
    Place& place = places[n];
    place = {classes[rng.below(3)], static_cast<std::int64_t>(rng.below(6)) - 1};
    if (place.score < 0) {
      ranking_.refuse(NodeId{n}, kNo);
    } else {
      ranking_.enter(NodeId{n}, place.class_id, place.score);
    }
    if (rng.below(4) != 0) continue;
    for (const std::uint32_t class_id : classes) {
      const auto better = [&](const Place& a, const Place& b) {
        return (a.class_id == class_id ? a.score : -1) < (b.class_id == class_id ? b.score : -1);
      };
      const auto best = std::max_element(places.begin(), places.end(), better);
      if (best->class_id != class_id || best->score < 0) continue;
      const NodeRanking::Leader leader = ranking_.leader(class_id);
      ASSERT_EQ(leader.node.index(), static_cast<std::size_t>(best - places.begin())) << "at step " << step;
      ASSERT_EQ(leader.score, best->score);
    }
  }
}

}  // namespace
}  // namespace loadline::placement
