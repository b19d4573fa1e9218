#include "app/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "app/page/testing/markup.h"

namespace loadline::page {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <class Part>
std::string page_of(Part part) {
  Page page{.title = "A plan", .subtitle = "of one day", .parts = {}};
  page.parts.emplace_back(std::move(part));
  std::string text = html(page);
  EXPECT_EQ(Markup(text).fault(), "");
  return text;
}

Span span(double from, double to, std::string label, std::string group) {
  return {.from = from, .to = to, .label = std::move(label), .details = "", .group = std::move(group)};
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, IsADocumentWithItsTitle) {
  const std::string text = html({.title = "A plan", .subtitle = "of one day", .parts = {}});
  const Markup markup(text);
  EXPECT_EQ(markup.fault(), "");
  EXPECT_THAT(text, HasSubstr("<title>A plan</title>"));
  EXPECT_THAT(text, HasSubstr("<h1>A plan</h1>"));
  EXPECT_THAT(text, HasSubstr("of one day"));
}

TEST(Page, NamesNothingOutsideOfItself) {
  const std::string text =
      page_of(Gantt{.title = "Pods", .end = 10, .lanes = {{.name = "a", .spans = {span(0, 5, "a", "a")}}}});
  for (const std::string_view reference : {"://", "src=", "href=", "@import", "<script", "<link", "<img"}) {
    EXPECT_THAT(text, Not(HasSubstr(reference)));
  }
  EXPECT_THAT(text, HasSubstr("default-src &#39;none&#39;"));
}

TEST(Page, FoldsParagraphsUnderAHeadingThatNeighboursShare) {
  Page page{.title = "A plan", .subtitle = "", .parts = {}};
  page.parts.emplace_back(Text{"First.", "How to read"});
  page.parts.emplace_back(Text{"Second.", "How to read"});
  page.parts.emplace_back(Text{"Open."});
  page.parts.emplace_back(Text{"Third.", "How to read"});
  const std::string text = html(page);
  const Markup markup(text);
  EXPECT_EQ(markup.fault(), "");
  EXPECT_EQ(markup.count("details"), 2u);
  EXPECT_EQ(occurrences(text, "<summary>How to read</summary>"), 2u);
  EXPECT_THAT(text, HasSubstr("<p>First.</p>\n<p>Second.</p>\n</details>\n<p>Open.</p>\n<details>"));
}

TEST(Page, ShowsFigures) {
  const std::string text = page_of(Figures{{{"makespan", "7h 12m"}, {"median wait", "24m"}}});
  EXPECT_THAT(text, HasSubstr("<dt>makespan</dt>\n<dd>7h 12m</dd>"));
  EXPECT_EQ(Markup(page_of(Figures{})).count("dl"), 0u);
}

TEST(Page, ShowsATableWithNumbersToTheRight) {
  const std::string text = page_of(
      Table{.title = "Pending", .header = {"workload", "GPUs"}, .rows = {{"a", "8"}, {"b", "16"}, {"c"}, {"d", "-"}}});
  EXPECT_THAT(text, HasSubstr("<th>workload</th>\n<th class=\"number\">GPUs</th>"));
  EXPECT_THAT(text, HasSubstr("<td>b</td>\n<td class=\"number\">16</td>"));
  EXPECT_EQ(Markup(text).count("td"), 8u);
}

TEST(Page, SaysHowManyRowsItLeavesOut) {
  Table table{.title = "Pods", .header = {"pod"}, .rows = {}};
  for (int i = 0; i < 5000; ++i) table.rows.push_back({"pod-" + std::to_string(i)});
  const std::string text = page_of(std::move(table));
  EXPECT_THAT(text, HasSubstr("The first 2,000 of 5,000 rows are shown."));
  EXPECT_EQ(Markup(text).count("td"), 2000u);
}

TEST(Page, DrawsAGanttChart) {
  const std::string text = page_of(Gantt{
      .title = "Workloads",
      .end = 8 * 3600,
      .lanes = {{.name = "train", .spans = {span(0, 3600, "", "waiting"), span(3600, 7200, "8 GPUs", "research")}},
                {.name = "eval", .spans = {span(0, 1800, "1 GPU", "failed")}}}});
  EXPECT_THAT(text, HasSubstr("<rect class=\"waiting\""));
  EXPECT_THAT(text, HasSubstr("<rect class=\"failed\""));
  EXPECT_THAT(text, HasSubstr("<title>8 GPUs\nresearch\n1h – 2h (1h)</title>"));
  EXPECT_THAT(text, HasSubstr("<title>train</title>train"));
  EXPECT_THAT(text, HasSubstr(">8h</text>"));
}

TEST(Page, BoundsAGanttChart) {
  Gantt gantt{.title = "Pods", .end = 100'000, .lanes = {}};
  gantt.lanes.resize(5000);
  for (int i = 0; i < 200'000; ++i) {
    gantt.lanes[static_cast<std::size_t>(i % 150)].spans.push_back(span(i % 977 * 100, i % 977 * 100 + 1300, "", "a"));
  }
  const std::string text = page_of(std::move(gantt));
  EXPECT_LT(text.size(), 5'000'000u);
  for (const std::string_view note :
       {"200 of 5,000 lines are shown. The other 4,800, with 0 spans, are left out.",
        "Spans too short to be drawn one by one are merged", "the last row stands for all the others"}) {
    EXPECT_EQ(occurrences(text, note), 1u) << note;
  }
}

TEST(Page, DrawsCurvesWithTheirLastValues) {
  const std::string text = page_of(LineChart{
      .title = "Utilisation",
      .unit = "%",
      .axis = Axis::kSeconds,
      .curves = {{.name = "gpu", .points = {{0, 0.5}, {3600, 0.834}}}, {.name = "cpu", .points = {{0, 0.25}}}},
      .end = 7200});
  EXPECT_THAT(text, HasSubstr(">83.4%<"));
  EXPECT_THAT(text, HasSubstr(">25.0%<"));
  EXPECT_THAT(text, HasSubstr(">100%</text>"));
  EXPECT_THAT(text, HasSubstr("gpu: 50%\ncpu: 25%</title>"));
}

TEST(Page, DrawsCurvesOverNumbersFromWhereTheyBegin) {
  const auto chart = [](double first) {
    return page_of(LineChart{.title = "Wait by nodes",
                             .unit = "s",
                             .axis = Axis::kNumber,
                             .curves = {{.name = "mean", .points = {{first, 600}, {200, 60}}}}});
  };
  EXPECT_THAT(chart(100), AllOf(HasSubstr(">100</text>"), Not(HasSubstr(">80</text>"))));
  EXPECT_THAT(chart(20), AllOf(HasSubstr(">20</text>"), HasSubstr(">0</text>")));
}

TEST(Page, DrawsCurvesAndLanesOverOneTime) {
  Page page{.title = "A plan", .subtitle = "", .parts = {}};
  page.parts.emplace_back(LineChart{.title = "Pending",
                                    .unit = "pods",
                                    .axis = Axis::kSeconds,
                                    .curves = {{.name = "pending", .points = {{0, 3}, {60, 0}}}}});
  page.parts.emplace_back(
      Gantt{.title = "Pods", .end = 7200, .lanes = {{.name = "a", .spans = {span(0, 60, "", "a")}}}});
  EXPECT_EQ(occurrences(html(page), ">2h</text>"), 2u);
}

TEST(Page, ComparesVariants) {
  const std::string text = page_of(Comparison{.title = "Makespan",
                                              .unit = "s",
                                              .variants = {{"first-fit", {.mean = 7200, .low = 7000, .high = 7400}},
                                                           {"best-fit", {.mean = 3600, .low = 3600, .high = 3600}},
                                                           {"none", {.mean = NAN, .low = 0, .high = 0}}}});
  EXPECT_THAT(text, HasSubstr("<title>first-fit\n2h (1h 57m – 2h 3m)</title>"));
  EXPECT_THAT(text, HasSubstr("no value"));
  EXPECT_EQ(Markup(text).count("circle"), 2u);
  EXPECT_EQ(occurrences(text, "class=\"whisker\""), 3u);
}

TEST(Page, SaysWhereAComparisonDoesNotBeginAtZero) {
  const auto comparison = [](double low, double high) {
    return page_of(
        Comparison{.title = "", .unit = "GPUs", .variants = {{"a", {low, low, low}}, {"b", {high, high, high}}}});
  };
  EXPECT_THAT(comparison(90, 100), HasSubstr("The axis does not begin at 0."));
  EXPECT_THAT(comparison(20, 100), Not(HasSubstr("The axis does not begin at 0.")));
  EXPECT_THAT(comparison(-20, 100), Not(HasSubstr("The axis does not begin at 0.")));
}

TEST(Page, SaysThatThereIsNothing) {
  EXPECT_THAT(page_of(Gantt{}), HasSubstr("Nothing to show."));
  EXPECT_THAT(page_of(LineChart{}), HasSubstr("Nothing to show."));
  EXPECT_THAT(page_of(LineChart{.title = "", .unit = "", .axis = Axis::kNumber, .curves = {Curve{}}}),
              HasSubstr("Nothing to show."));
  EXPECT_THAT(page_of(Comparison{}), HasSubstr("Nothing to show."));
  EXPECT_THAT(page_of(Table{}), HasSubstr("Nothing to show."));
  EXPECT_THAT(page_of(Gantt{.title = "", .end = 0, .lanes = {Lane{}}}), Not(HasSubstr("Nothing to show.")));
}

}  // namespace
}  // namespace loadline::page
