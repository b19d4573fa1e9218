#include "foundation/base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace loadline {
namespace {

// The first outputs of the published SplitMix64 for the seed 1234567.
TEST(Rng, YieldsThePublishedSequence) {
  Rng rng(1234567);
  EXPECT_EQ(rng.next(), 6457827717110365317ULL);
  EXPECT_EQ(rng.next(), 3203168211198807973ULL);
  EXPECT_EQ(rng.next(), 9817491932198370423ULL);
  EXPECT_EQ(rng.next(), 4593380528125082431ULL);
}

TEST(Rng, StaysBelowTheBoundAndReachesEveryNumber) {
  Rng rng(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 600; ++i) {
    const std::uint64_t number = rng.below(counts.size());
    ASSERT_LT(number, counts.size());
    ++counts[number];
  }
  for (const int count : counts) EXPECT_GT(count, 50);
}

}  // namespace
}  // namespace loadline
