#include "app/page/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace loadline::page {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> texts;
  for (const Tick& tick : scale.ticks) texts.push_back(tick.label);
  return texts;
}

TEST(TimeScale, HasTicksAtRoundTimes) {
  EXPECT_THAT(labels(time_scale(8 * 3600, 5)), ElementsAre("0", "2h", "4h", "6h", "8h"));
  EXPECT_THAT(labels(time_scale(3 * 86400 + 5, 7)), ElementsAre("0", "12h", "1d", "1d 12h", "2d", "2d 12h", "3d"));
  EXPECT_THAT(labels(time_scale(100, 5)), ElementsAre("0", "30s", "1m", "1m 30s"));
  EXPECT_THAT(labels(time_scale(0.4, 5)), ElementsAre("0", "0.1s", "0.2s", "0.3s", "0.4s"));
  EXPECT_THAT(labels(time_scale(90 * 86400, 4)), ElementsAre("0", "28d", "56d", "84d"));
}

TEST(TimeScale, EndsWhereTimeDoes) {
  EXPECT_EQ(time_scale(5000, 5).to, 5000);
  for (const double none : {0.0, -5.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_EQ(time_scale(none, 5).to, 1) << none;
  }
}

TEST(ValueScale, ReachesTheNextTick) {
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 28, .whole = true}, "pods", 5)),
              ElementsAre("0", "10", "20", "30"));
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 3, .whole = true}, "pods", 5)), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 0, .whole = true}, "pods", 5)), ElementsAre("0", "1"));
  EXPECT_THAT(labels(value_scale({.low = -4, .high = 11}, "pods", 4)), ElementsAre("−5", "0", "5", "10", "15"));
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 0.31}, "s", 4)), ElementsAre("0", "0.1s", "0.2s", "0.3s", "0.4s"));
}

TEST(ValueScale, IsAStepLongAtLeast) {
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 1e-9, .whole = true}, "pods", 5)), ElementsAre("0", "1"));
  EXPECT_THAT(labels(value_scale({.low = 7, .high = 7, .whole = true}, "pods", 5)), ElementsAre("7", "8"));
}

TEST(ValueScale, OfFractionsIsWhole) {
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 0.83}, "%", 5)), ElementsAre("0%", "25%", "50%", "75%", "100%"));
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 0.012}, "%", 4)), ElementsAre("0.0%", "0.5%", "1.0%", "1.5%"));
  EXPECT_THAT(labels(value_scale({.low = 0, .high = 1.3}, "%", 4)), ElementsAre("0%", "50%", "100%", "150%"));
}

TEST(NumberScale, EndsWhereNumbersDo) {
  const Scale scale = number_scale({.low = 3, .high = 127}, 5);
  EXPECT_EQ(scale.from, 3);
  EXPECT_EQ(scale.to, 127);
  EXPECT_THAT(labels(scale), ElementsAre("50", "100"));
}

TEST(Scale, MapsOntoPixels) {
  const Scale scale{.from = 10, .to = 20, .ticks = {}};
  EXPECT_EQ(scale.at(15, 100, 200), 150);
  EXPECT_EQ(scale.at(15, 200, 0), 100);
  EXPECT_EQ(scale.at(-5, 100, 200), 100);
  EXPECT_EQ(scale.at(1e300, 100, 200), 200);
}

/// Any double, the odd ones more often than chance would have them.
double any_double() {
  const double odd = *rc::gen::element(0.0, -0.0, 1.0, 1e-320, 1e308, -1e308, 1e-9, static_cast<double>(NAN),
                                       static_cast<double>(INFINITY), -static_cast<double>(INFINITY));
  return *rc::gen::arbitrary<bool>() ? odd : *rc::gen::arbitrary<double>();
}

RC_GTEST_PROP(Scale, HasAFewAscendingTicksWithinItWhateverItMustHold, ()) {
  const Range range{.low = any_double(), .high = any_double(), .whole = *rc::gen::arbitrary<bool>()};
  const std::string unit = *rc::gen::element<std::string>("%", "s", "pods", "");
  for (const Scale& scale : {value_scale(range, unit, 5), number_scale(range, 8), time_scale(range.high, 10)}) {
    RC_ASSERT((std::isfinite(scale.from) && std::isfinite(scale.to) && scale.from < scale.to));
    RC_ASSERT((scale.ticks.size() <= 14u));
    for (std::size_t i = 0; i < scale.ticks.size(); ++i) {
      const double margin = 1e-6 * (scale.to - scale.from);
      RC_ASSERT((scale.ticks[i].value >= scale.from - margin && scale.ticks[i].value <= scale.to + margin));
      RC_ASSERT((i == 0 || scale.ticks[i - 1].value < scale.ticks[i].value));
    }
  }
}

}  // namespace
}  // namespace loadline::page
