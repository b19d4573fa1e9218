#include "brain/engine/turn_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "foundation/base/rng.h"

namespace loadline::engine {
namespace {

using cluster::PodId;
using decision::Unit;
using Place = TurnOrder::Place;

Place at(std::int64_t priority, std::uint64_t age) { return {{-priority, age}, Unit(PodId{age})}; }

TEST(TurnOrderTest, TheYoungestGoesLastAndTheMostImportantFirst) {
  TurnOrder order;
  for (const Place& place : {at(0, 1), at(0, 2), at(9, 3), at(0, 4), at(-1, 5), at(0, 6)}) order.insert(place);
  EXPECT_EQ(order.size(), 6U);
  for (const std::uint64_t next : {3U, 1U, 2U, 4U, 6U, 5U}) EXPECT_EQ(order.pop(), Unit(PodId{next}));
  EXPECT_TRUE(order.empty());
}

TEST(TurnOrderTest, WhoWentIsNotThereAndMayComeAgain) {
  TurnOrder order;
  for (std::uint64_t age = 1; age <= 4; ++age) order.insert(at(0, age));
  order.erase(at(0, 2));  // from the middle
  order.erase(at(0, 4));  // the last one
  order.erase(at(0, 1));  // the first one
  EXPECT_EQ(order.size(), 1U);
  order.insert(at(0, 2));
  order.insert(at(0, 4));
  EXPECT_EQ(order.pop(), Unit(PodId{2U}));
  EXPECT_EQ(order.pop(), Unit(PodId{3U}));
  EXPECT_EQ(order.pop(), Unit(PodId{4U}));
}

/// Whatever comes and goes, it is a sorted set.
TEST(TurnOrderTest, IsASortedSet) {
  Rng rng(4);
  TurnOrder order;
  std::set<Place> expected;
  std::uint64_t youngest = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t dice = rng.below(10);
    if (dice < 4) {
      const Place place = at(rng.below(4) == 0 ? 1 : 0, ++youngest);
      order.insert(place);
      expected.insert(place);
    } else if (dice < 5 && youngest > 0) {  // one that was there comes again
      const Place place = at(0, 1 + rng.below(youngest));
      if (expected.insert(place).second) order.insert(place);
    } else if (dice < 7 && !expected.empty()) {
      const auto place = std::next(expected.begin(), static_cast<std::ptrdiff_t>(rng.below(expected.size())));
      order.erase(*place);
      expected.erase(place);
    } else if (!expected.empty()) {
      ASSERT_EQ(order.pop(), expected.begin()->unit);
      expected.erase(expected.begin());
    }
    ASSERT_EQ(order.size(), expected.size());
  }
  std::vector<Place> places = order.places();
  std::ranges::sort(places);
  EXPECT_TRUE(std::ranges::equal(places, expected));
}

}  // namespace
}  // namespace loadline::engine
