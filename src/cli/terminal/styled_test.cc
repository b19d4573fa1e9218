#include "cli/terminal/styled.h"

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

}  // namespace
}  // namespace loadline::cli
