#include "app/cli/terminal/grid.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

std::vector<std::string> plain(const std::vector<Line>& lines) {
  std::vector<std::string> result;
  for (const Line& line : lines) result.push_back(to_text(line, Colour::kOff));
  return result;
}

Grid pods() {
  Grid grid;
  grid.columns = {{"NAME", {}, 6}, {"EMPTY"}, {"PRIORITY", report::Alignment::kRight}, {"WHY", {}, 5}};
  grid.rows = {{"web-7c5d-aaaaa", "", "1000", "Insufficient cpu"}, {"p", "", "0", "-"}};
  return grid;
}

TEST(Grid, AlignsColumnsAndDropsEmptyOnes) {
  EXPECT_EQ(plain(lay_out(pods(), Terminal{.interactive = true, .width = 100})),
            (std::vector<std::string>{"NAME            PRIORITY  WHY", "web-7c5d-aaaaa      1000  Insufficient cpu",
                                      "p                      0  -"}));
}

TEST(Grid, ShrinksTheWidestColumnsFirstOnATerminal) {
  EXPECT_EQ(plain(lay_out(pods(), Terminal{.interactive = true, .width = 32})),
            (std::vector<std::string>{"NAME        PRIORITY  WHY", "web-7c5d-…      1000  Insuffici…",
                                      "p                  0  -"}));
}

TEST(Grid, StopsShrinkingAtTheLeastWidths) {
  const std::vector<std::string> lines = plain(lay_out(pods(), Terminal{.interactive = true, .width = 1}));
  EXPECT_EQ(lines[1], "web-7…      1000  Insu…");
}

TEST(Grid, CutsNothingInAFile) {
  const std::vector<std::string> lines = plain(lay_out(pods(), Terminal{.interactive = false, .width = 10}));
  EXPECT_EQ(lines[1], "web-7c5d-aaaaa      1000  Insufficient cpu");
}

}  // namespace
}  // namespace loadline::cli
