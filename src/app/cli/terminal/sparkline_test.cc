#include "app/cli/terminal/sparkline.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

TEST(Sparkline, OnlyNothingLooksEmptyAndOnlyAllLooksFull) {
  EXPECT_EQ(sparkline({0, 0.0001, 0.5, 0.9999, 1}, 1, Letters::kUnicode).plain(), "▁▂▅▇█");
  EXPECT_EQ(sparkline({0, 1, 6, 12}, 12, Letters::kAscii).plain(), "_.=#");
}

TEST(Sparkline, OfNothingAtAllIsLow) { EXPECT_EQ(sparkline({0, 0}, 0, Letters::kUnicode).plain(), "▁▁"); }

TEST(Strip, HasALetterForEachThingThatIsDone) {
  using enum Stretch;
  const std::vector<Stretch> cells = {kNothing, kWaiting, kWaiting, kStarting, kRunning, kFailed};
  EXPECT_EQ(strip(cells, Letters::kUnicode).plain(), " ··▒█▓");
  EXPECT_EQ(strip(cells, Letters::kAscii).plain(), " ..+#x");
}

}  // namespace
}  // namespace loadline::cli
