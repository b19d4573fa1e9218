#include "server/apiserver/kinds/index_intervals.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline::apiserver {
namespace {

TEST(IndexIntervalsTest, Counts) {
  EXPECT_EQ(count_indexes("", 3).value(), 0);
  EXPECT_EQ(count_indexes("0", 3).value(), 1);
  EXPECT_EQ(count_indexes("0-2,4,6-7", 8).value(), 6);
}

TEST(IndexIntervalsTest, SaysWhatIsWrong) {
  const auto fault = [](std::string_view text) { return count_indexes(text, 5).error().message; };
  EXPECT_EQ(fault("x"), "cannot convert string to integer for index: \"x\"");
  EXPECT_EQ(fault("1,"), "cannot convert string to integer for index: \"\"");
  EXPECT_EQ(fault("5"), "too large index: \"5\"");
  EXPECT_EQ(fault("1-9"), "too large index: \"9\"");
  EXPECT_EQ(fault("3-1"), "non-increasing order, previous: 3, current: 1");
  EXPECT_EQ(fault("3,1"), "non-increasing order, previous: 3, current: 1");
  EXPECT_EQ(fault("1-2-3"),
            "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts "
            "separated by '-'");
}

TEST(IndexIntervalsTest, FindsWhatTwoHaveInCommon) {
  EXPECT_EQ(overlap_of_indexes("0-2,5", "3-4,6", 9), "");
  EXPECT_EQ(overlap_of_indexes("0-2,5", "3-5", 9), "failedIndexes and completedIndexes overlap at index: 5");
  EXPECT_EQ(overlap_of_indexes("", "3", 9), "");
}

}  // namespace
}  // namespace loadline::apiserver
