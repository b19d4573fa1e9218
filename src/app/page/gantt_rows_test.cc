#include "app/page/gantt_rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace loadline::page {
namespace {

Span span(double from, double to, std::string group = "a") {
  return {.from = from, .to = to, .label = "", .details = "", .group = std::move(group)};
}

Palette palette_of_a_and_b() {
  Palette palette;
  palette.add_chart({"a", "b"});
  return palette;
}

TEST(StackSpans, PutsWhatFollowsIntoOneRowAndWhatOverlapsBelow) {
  const Lane lane{.name = "node", .spans = {span(5, 9), span(0, 5), span(3, 6), span(6, 7)}};
  const std::vector<GanttRow> rows = stack_spans(lane, 10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].spans, (std::vector<const Span*>{&lane.spans[1], &lane.spans[0]}));
  EXPECT_EQ(rows[1].spans, (std::vector<const Span*>{&lane.spans[2], &lane.spans[3]}));
}

TEST(StackSpans, CrowdsTheLastRow) {
  const Lane lane{.name = "node", .spans = std::vector<Span>(5, span(0, 5))};
  const std::vector<GanttRow> rows = stack_spans(lane, 3);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_FALSE(rows[1].crowded);
  EXPECT_TRUE(rows[2].crowded);
  EXPECT_EQ(rows[2].spans.size(), 3u);
}

TEST(StackSpans, LeavesOutWhatIsNoInterval) {
  EXPECT_TRUE(stack_spans({.name = "node", .spans = {span(5, 1), span(NAN, 2), span(1, NAN)}}, 3).empty());
}

RC_GTEST_PROP(StackSpans, LosesNothingAndKeepsSpansOfARowApart, ()) {
  Lane lane;
  for (int i = *rc::gen::inRange(0, 60); i > 0; --i) {
    const int from = *rc::gen::inRange(0, 50);
    lane.spans.push_back(span(from, from + *rc::gen::inRange(0, 20)));
  }
  const auto most = static_cast<std::size_t>(*rc::gen::inRange(1, 8));
  const std::vector<GanttRow> rows = stack_spans(lane, most);
  std::size_t count = 0;
  for (const GanttRow& row : rows) {
    count += row.spans.size();
    for (std::size_t i = 1; i < row.spans.size(); ++i) {
      RC_ASSERT((row.crowded || row.spans[i - 1]->to <= row.spans[i]->from));
    }
  }
  RC_ASSERT((count == lane.spans.size()));
  RC_ASSERT((rows.size() <= most));
  // As few rows as the moment with most spans needs.
  std::size_t deepest = 0;
  for (int at = 0; at < 70; ++at) {
    std::size_t depth = 0;
    for (const Span& one : lane.spans) depth += one.from <= at && at < one.to ? 1U : 0U;
    deepest = std::max(deepest, depth);
  }
  RC_ASSERT((rows.size() <= std::max<std::size_t>(1, deepest) + 1));
}

TEST(RowMarks, CutsSpansOffAtTheEndsOfTheScale) {
  const Lane lane{.name = "node", .spans = {span(-10, 10), span(90, INFINITY)}};
  const RowMarks marks =
      row_marks(stack_spans(lane, 1).front(), time_scale(100, 5), 1000, 1.0 / 3, palette_of_a_and_b());
  ASSERT_EQ(marks.bars.size(), 2u);
  EXPECT_EQ(marks.bars[0].left, 0);
  EXPECT_EQ(marks.bars[0].right, 100);
  EXPECT_EQ(marks.bars[1].right, 1000);
  EXPECT_TRUE(marks.densities.empty());
  const Lane later{.name = "node", .spans = {span(200, 300)}};
  EXPECT_TRUE(
      row_marks(stack_spans(later, 1).front(), time_scale(100, 5), 1000, 1.0 / 3, palette_of_a_and_b()).bars.empty());
}

TEST(RowMarks, MergesShortSpans) {
  Lane lane;
  for (int i = 0; i < 10'000; ++i) lane.spans.push_back(span(i, i + 0.4, i < 5000 ? "a" : "b"));
  const RowMarks marks =
      row_marks(stack_spans(lane, 4).front(), time_scale(10'000, 5), 1000, 1.0 / 3, palette_of_a_and_b());
  EXPECT_TRUE(marks.bars.empty());
  ASSERT_EQ(marks.densities.size(), 2u);
  EXPECT_EQ(marks.densities[0].spans + marks.densities[1].spans, 10'000u);
  EXPECT_EQ(marks.densities[0].colour, 0u);
  EXPECT_EQ(marks.densities[1].colour, 1u);
  EXPECT_EQ(marks.densities[0].level, 2u);  // 40 % of the time
}

TEST(RowMarks, ShowsWhatTakesNoTime) {
  const Lane lane{.name = "node", .spans = {span(0, 0), span(50, 50), span(100, 100)}};
  const RowMarks marks =
      row_marks(stack_spans(lane, 1).front(), time_scale(100, 5), 1000, 1.0 / 3, palette_of_a_and_b());
  ASSERT_EQ(marks.densities.size(), 3u);
  for (const Density& density : marks.densities) {
    EXPECT_GE(density.left, 0);
    EXPECT_LE(density.right, 1000);
    EXPECT_GT(density.right, density.left);
  }
}

}  // namespace
}  // namespace loadline::page
