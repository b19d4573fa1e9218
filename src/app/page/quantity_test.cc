#include "app/page/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace loadline::page {
namespace {

TEST(NumberText, GroupsDigitsFromTenThousandOn) {
  EXPECT_EQ(number_text(0, 0), "0");
  EXPECT_EQ(number_text(8152, 0), "8152");
  EXPECT_EQ(number_text(12000, 0), "12\u202F000");
  EXPECT_EQ(number_text(1234567.891, 2), "1\u202F234\u202F567.89");
  EXPECT_EQ(number_text(3e17, 0), "3.00e+17");
}

TEST(NumberText, WritesAMinusOnlyWhereDigitsAreLeft) {
  EXPECT_EQ(number_text(-0.5, 1), "−0.5");
  EXPECT_EQ(number_text(-0.01, 1), "0.0");
  EXPECT_EQ(number_text(NAN, 1), "–");
  EXPECT_EQ(number_text(-INFINITY, 1), "–");
}

struct DurationCase {
  double seconds;
  std::string_view text;
};

TEST(DurationText, HasTheTwoLargestUnits) {
  for (const DurationCase& expected :
       {DurationCase{0, "0s"}, DurationCase{0.25, "0.25s"}, DurationCase{1.5, "1.5s"}, DurationCase{45, "45s"},
        DurationCase{59.7, "1m"}, DurationCase{90, "1m 30s"}, DurationCase{3599.9, "1h"}, DurationCase{3600, "1h"},
        DurationCase{25920, "7h 12m"}, DurationCase{86399, "1d"}, DurationCase{273600, "3d 4h"},
        DurationCase{-90, "−1m 30s"}, DurationCase{1e9, "11\u202F574d 2h"}, DurationCase{INFINITY, "–"}}) {
    EXPECT_EQ(duration_text(expected.seconds), expected.text) << expected.seconds;
  }
}

TEST(ValueText, KnowsFractionsAndSeconds) {
  EXPECT_EQ(value_text(0.874, "%", 1), "87.4%");
  EXPECT_EQ(value_text(25920, "s", 1), "7h 12m");
  EXPECT_EQ(value_text(12, "GPUs", 0), "12");
  EXPECT_EQ(value_with_unit(12, "GPUs"), "12 GPUs");
  EXPECT_EQ(value_with_unit(1.5, "GPUs"), "1.5 GPUs");
  EXPECT_EQ(value_with_unit(0.5, "%"), "50%");
  EXPECT_EQ(value_with_unit(120, ""), "120");
}

TEST(Decimals, TellValuesOfAMagnitudeApart) {
  EXPECT_EQ(decimals_for(0), 0);
  EXPECT_EQ(decimals_for(152), 0);
  EXPECT_EQ(decimals_for(-15), 1);
  EXPECT_EQ(decimals_for(1.5), 2);
  EXPECT_EQ(decimals_for(0.15), 3);
  EXPECT_EQ(decimals_for(0.001), 4);
}

}  // namespace
}  // namespace loadline::page
