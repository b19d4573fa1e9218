#include <gtest/gtest.h>

#include <vector>

#include "brain/placement/plugin.h"

namespace loadline::placement {
namespace {

using Scores = std::vector<std::int64_t>;

Scores normalized(Scores scores, bool reverse) {
  normalize_by_maximum(scores, reverse);
  return scores;
}

TEST(NormalizeTest, ScalesToAHundredOfTheLargest) {
  EXPECT_EQ(normalized({1, 2, 3}, false), (Scores{33, 66, 100}));
  EXPECT_EQ(normalized({0, 7}, false), (Scores{0, 100}));
  EXPECT_EQ(normalized({0, 0}, false), (Scores{0, 0}));
  EXPECT_EQ(normalized({}, false), Scores{});
}

TEST(NormalizeTest, ReversedTheLargestIsNothing) {
  EXPECT_EQ(normalized({1, 2, 3}, true), (Scores{67, 34, 0}));
  EXPECT_EQ(normalized({0, 0}, true), (Scores{100, 100}));
}

}  // namespace
}  // namespace loadline::placement
