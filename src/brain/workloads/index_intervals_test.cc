#include "brain/workloads/index_intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;

TEST(IndexIntervals, AreWrittenShortAndReadBack) {
  EXPECT_EQ(IndexIntervals({0, 1, 2, 5, 7, 8}).to_string(), "0-2,5,7,8");
  EXPECT_EQ(IndexIntervals::parse("0-2,5,7,8", 10).total(), 6);
  EXPECT_EQ(IndexIntervals::parse("0-2,x,3-z,5-20", 10).to_string(), "0-2,5-9");
  EXPECT_EQ(IndexIntervals::parse("8,12", 10).to_string(), "8");
  const IndexIntervals both = IndexIntervals({1, 2, 3}).merged(IndexIntervals({0, 3, 4, 9}));
  EXPECT_EQ(both.to_string(), "0-4,9");
  EXPECT_TRUE(both.has(4));
  EXPECT_FALSE(both.has(5));
  EXPECT_EQ(both.overlap(IndexIntervals({3, 4, 5, 9})), 3);
  EXPECT_THAT(both.first_missing(3, 12), ElementsAre(5, 6, 7));
  EXPECT_THAT(both.first_missing(9, 11), ElementsAre(5, 6, 7, 8, 10));
}

}  // namespace
}  // namespace loadline::workloads
