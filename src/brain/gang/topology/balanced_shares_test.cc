// Shares that are as equal as room allows. Most examples are those of Kueue's KEP-2724.
#include "brain/gang/topology/balanced_shares.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace loadline::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Amounts = std::vector<std::int64_t>;

Amounts balanced(const Amounts& rooms, std::int64_t amount, const Amounts& used = {}) {
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < rooms.size(); ++i) bins.push_back({i, rooms[i], used.empty() ? 0 : used[i]});
  return balance(bins, amount);
}

TEST(BalancedSharesTest, SharesAreEqual) {
  EXPECT_THAT(balanced({10, 10}, 12), ElementsAre(6, 6));
  EXPECT_THAT(balanced({15, 15}, 25), ElementsAre(13, 12));
  EXPECT_THAT(balanced({5, 5, 5}, 15), ElementsAre(5, 5, 5));
}

TEST(BalancedSharesTest, TheFewestTakePart) {
  EXPECT_THAT(balanced({15, 13, 10}, 23), ElementsAre(12, 11, 0));
  EXPECT_THAT(balanced({20, 10}, 20), ElementsAre(20, 0));
}

TEST(BalancedSharesTest, LargeOnesStayWhole) {
  EXPECT_THAT(balanced({12, 8, 7, 6}, 13), ElementsAre(0, 0, 7, 6));
  EXPECT_THAT(balanced({8, 8, 3}, 8), ElementsAre(8, 0, 0)) << "3 is less than the one share";
}

TEST(BalancedSharesTest, WhatRoomDoesNotAllowGoesToTheOthers) {
  EXPECT_THAT(balanced({6, 20}, 22), ElementsAre(6, 16));
  EXPECT_THAT(balanced({3, 3}, 7), IsEmpty());
}

TEST(BalancedSharesTest, WhatIsThereCounts) {
  EXPECT_THAT(balanced({8, 8, 8}, 1, {4, 3, 0}), ElementsAre(0, 1, 0)) << "the leader goes beside its workers";
  EXPECT_THAT(balanced({8, 8, 8}, 4, {4, 2, 0}), ElementsAre(1, 3, 0));
  EXPECT_THAT(balanced({1, 1, 8}, 4, {4, 2, 0}), ElementsAre(0, 0, 4)) << "there is no room there";
}

/// Of all ways to divide: as few bins as can be, and the largest least share among these.
TEST(BalancedSharesTest, NoDivisionIsMoreEqual) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  for (int round = 0; round < 3000; ++round) {
    Amounts rooms(1 + random() % 5);
    for (std::int64_t& room : rooms) room = below(9);
    const std::int64_t amount = 1 + below(16);
    const Amounts shares = balanced(rooms, amount);
    Amounts sorted = rooms;
    std::ranges::sort(sorted, std::ranges::greater());
    std::size_t count = 0;
    std::int64_t held = 0;
    while (count < sorted.size() && held < amount) held += sorted[count++];
    ASSERT_EQ(shares.empty(), held < amount) << "round " << round;
    if (shares.empty()) continue;
    ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}), amount);
    for (std::size_t i = 0; i < rooms.size(); ++i) ASSERT_LE(shares[i], rooms[i]);
    ASSERT_EQ(std::ranges::count_if(shares, [](std::int64_t share) { return share > 0; }),
              static_cast<std::ptrdiff_t>(count));
    const std::int64_t best = std::min(amount / static_cast<std::int64_t>(count), sorted[count - 1]);
    Amounts given = shares;
    std::erase(given, 0);
    ASSERT_EQ(std::ranges::min(given), best) << "round " << round;
  }
}

}  // namespace
}  // namespace loadline::gang
