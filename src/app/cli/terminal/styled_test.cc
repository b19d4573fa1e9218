#include "app/cli/terminal/styled.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

TEST(Line, WritesEscapesOnlyIfColoursAreOn) {
  const Line line = Line("ok", Style::kGood).add(" plain");
  EXPECT_EQ(to_text(line, Colour::kOff), "ok plain");
  EXPECT_EQ(to_text(line, Colour::kOn), "\x1b[32mok\x1b[0m plain");
}

TEST(Line, LosesTrailingBlanksEvenInsideAStyle) {
  const Line line = Line("ok").add("   ", Style::kBad);
  EXPECT_EQ(to_text(line, Colour::kOff), "ok");
  EXPECT_EQ(to_text(line, Colour::kOn), "ok");
}

TEST(Line, IsCutWithAnEllipsisThatKeepsTheStyle) {
  const Line line = Line("abc", Style::kBad).add("defgh", Style::kDim);
  EXPECT_EQ(line.truncated(5, "…").plain(), "abcd…");
  EXPECT_EQ(line.truncated(8, "…").plain(), "abcdefgh");
  EXPECT_EQ(line.truncated(5, "…").spans().back().style, Style::kDim);
}

TEST(Line, IsWrappedAtBlanksAndKeepsItsStyles) {
  const Line line = Line("  web", Style::kBold).add("  1 of 2 pods", Style::kDim).add("   ");
  const std::vector<Line> parts = line.wrapped(12);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].plain(), "  web  1 of");
  EXPECT_EQ(parts[1].plain(), "      2 pods");
  EXPECT_EQ(parts[1].spans().back().style, Style::kDim);
  ASSERT_EQ(line.wrapped(18).size(), 1U) << "blanks at the end need no line";
}

TEST(Line, IsBrokenAnywhereWhereAWordIsTooLong) {
  const std::vector<Line> parts = Line("abcdefghij klm").wrapped(6);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].plain(), "abcdef");
  EXPECT_EQ(parts[1].plain(), "   ghi");
  EXPECT_EQ(parts[2].plain(), "   j");
  EXPECT_EQ(parts[3].plain(), "   klm");
}

}  // namespace
}  // namespace loadline::cli
