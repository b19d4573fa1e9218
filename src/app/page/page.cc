#include "app/page/page.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "app/page/comparison.h"
#include "app/page/frame.h"
#include "app/page/gantt.h"
#include "app/page/html_writer.h"
#include "app/page/label.h"
#include "app/page/line_chart.h"
#include "app/page/palette.h"
#include "app/page/style.h"
#include "app/page/table.h"

namespace loadline::page {
namespace {

/// Browsers that obey it load and run nothing, whatever a page may come to contain.
constexpr std::string_view kPolicy = "default-src 'none'; style-src 'unsafe-inline'";

bool has_gantt(const Page& page) {
  return std::any_of(page.parts.begin(), page.parts.end(),
                     [](const auto& part) { return std::holds_alternative<Gantt>(part); });
}

/// How far the Gantt charts of the page reach: curves over time beside them reach as far, so that a moment is one
/// vertical line through all of them.
double gantt_end(const Page& page) {
  double end = 0;
  for (const auto& part : page.parts) {
    if (const auto* gantt = std::get_if<Gantt>(&part)) end = std::max(end, end_of(*gantt));
  }
  return end;
}

std::vector<std::string_view> names_of(const LineChart& chart) {
  std::vector<std::string_view> names;
  for (const Curve& curve : chart.curves) {
    if (names.size() < kMostCurves) names.push_back(curve.name);
  }
  return names;
}

Palette palette_of(const Page& page) {
  Palette palette;
  for (const auto& part : page.parts) {
    if (const auto* chart = std::get_if<LineChart>(&part)) palette.add_chart(names_of(*chart));
    if (const auto* gantt = std::get_if<Gantt>(&part)) palette.add_chart(groups_of(*gantt));
  }
  return palette;
}

void draw_head(HtmlWriter& writer, const Page& page) {
  writer.open("head");
  writer.empty("meta", {{"charset", "utf-8"}});
  writer.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", kPolicy}});
  writer.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  writer.element("title", {}, tooltip(page.title));
  writer.open("style");
  writer.raw(style_sheet());
  writer.close();
  writer.close();
}

/// What drawings of the whole page refer to.
void draw_definitions(HtmlWriter& writer) {
  writer.open("svg", {{"class", "definitions"}, {"aria-hidden", "true"}});
  writer.open("pattern", {{"id", "waiting"},
                          {"width", 5},
                          {"height", 5},
                          {"patternUnits", "userSpaceOnUse"},
                          {"patternTransform", "rotate(45)"}});
  writer.empty("rect", {{"width", 5}, {"height", 5}, {"style", "fill:var(--waiting);fill-opacity:.16"}});
  writer.empty("rect", {{"width", 1.5}, {"height", 5}, {"style", "fill:var(--waiting);fill-opacity:.8"}});
  writer.close();
  writer.close();
}

void draw_figures(HtmlWriter& writer, const Figures& figures) {
  if (figures.values.empty()) return;
  writer.open("dl");
  for (const auto& [name, value] : figures.values) {
    writer.open("div");
    writer.element("dt", {}, name);
    writer.element("dd", {}, value);
    writer.close();
  }
  writer.close();
}

class PageDrawing {
 public:
  PageDrawing(HtmlWriter& writer, const Page& page)
      : writer_(writer), page_(page), palette_(palette_of(page)), frame_(frame_of(page)), end_(gantt_end(page)) {}

  void draw() {
    for (std::size_t i = 0; i < page_.parts.size(); ++i) {
      index_ = i;
      std::visit(*this, page_.parts[i]);
    }
  }

  void operator()(const Figures& figures) { draw_figures(writer_, figures); }
  void operator()(const LineChart& chart) { draw_line_chart(writer_, chart, end_, frame_, palette_); }
  void operator()(const Gantt& gantt) { draw_gantt(writer_, gantt, frame_, palette_); }
  void operator()(const Comparison& comparison) { draw_comparison(writer_, comparison, palette_); }
  void operator()(const Table& table) { draw_table(writer_, table); }

  void operator()(const Text& text) {
    if (text.folded_under.empty()) {
      writer_.element("p", {}, text.paragraph);
      return;
    }
    if (!is_below(text.folded_under, index_ - 1)) {
      writer_.open("details");
      writer_.element("summary", {}, text.folded_under);
    }
    writer_.element("p", {}, text.paragraph);
    if (!is_below(text.folded_under, index_ + 1)) writer_.close();
  }

 private:
  /// Names of lanes need room on the left; without any, names of curves get it on the right.
  static Frame frame_of(const Page& page) {
    if (has_gantt(page)) return {.left = 176, .right = kChartWidth - 140};
    return {.left = 64, .right = kChartWidth - 210};
  }

  /// Whether that part is a paragraph folded below this heading. An index before the first wraps, and is no part's.
  [[nodiscard]] bool is_below(std::string_view heading, std::size_t index) const {
    if (index >= page_.parts.size()) return false;
    const auto* text = std::get_if<Text>(&page_.parts[index]);
    return text != nullptr && text->folded_under == heading;
  }

  HtmlWriter& writer_;
  const Page& page_;
  Palette palette_;
  Frame frame_;
  double end_;
  std::size_t index_ = 0;
};

}  // namespace

std::string html(const Page& page) {
  HtmlWriter writer;
  writer.raw("<!DOCTYPE html>\n");
  writer.open("html", {{"lang", "en"}});
  draw_head(writer, page);
  writer.open("body");
  draw_definitions(writer);
  writer.open("main");
  writer.open("header");
  writer.element("h1", {}, page.title);
  if (!page.subtitle.empty()) writer.element("p", {{"class", "subtitle"}}, page.subtitle);
  writer.close();
  PageDrawing(writer, page).draw();
  writer.close();
  writer.close();
  writer.close();
  return std::move(writer).finish();
}

}  // namespace loadline::page
