#include "app/cli/terminal/bar.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

TEST(Bar, LooksFullOnlyWhenItIs) {
  EXPECT_EQ(bar(0, 4, Letters::kUnicode).plain(), "▁▁▁▁");
  EXPECT_EQ(bar(99, 4, Letters::kUnicode).plain(), "▇▇▇▁");
  EXPECT_EQ(bar(100, 4, Letters::kUnicode).plain(), "▇▇▇▇");
  EXPECT_EQ(bar(150, 4, Letters::kAscii).plain(), "####");
  EXPECT_EQ(bar(50, 4, Letters::kAscii).plain(), "##..");
}

TEST(Bar, WarnsWithItsColourAsItNearsTheLine) {
  EXPECT_EQ(bar(74, 4, Letters::kUnicode).spans().front().style, Style::kGood);
  EXPECT_EQ(bar(75, 4, Letters::kUnicode).spans().front().style, Style::kWarn);
  EXPECT_EQ(bar(95, 4, Letters::kUnicode).spans().front().style, Style::kBad);
}

TEST(Boxes, ShowEachDevice) {
  EXPECT_EQ(boxes({Box::kHeld, Box::kHeld, Box::kReserved, Box::kFree}, Letters::kUnicode).plain(), "[■■▣□]");
  EXPECT_EQ(boxes({Box::kHeld, Box::kFree, Box::kReserved}, Letters::kAscii).plain(), "[#.+]");
}

}  // namespace
}  // namespace loadline::cli
