#include "app/page/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>

#include "app/page/gantt_rows.h"
#include "app/page/label.h"
#include "app/page/legend.h"
#include "app/page/quantity.h"
#include "app/page/scale.h"
#include "foundation/base/text.h"

namespace loadline::page {
namespace {

constexpr std::size_t kMostLanes = 200;
constexpr std::size_t kMostRows = 600;
constexpr std::size_t kMostMarks = 30000;
constexpr double kAxisHeight = 24;
constexpr std::size_t kShortestCut = 10;
/// A chart of many lanes is cut into drawings, between which a printer may begin a page.
constexpr double kDrawingHeight = 160;
/// Charts that may be taller than a screen have a second axis below them.
constexpr std::size_t kTallRows = 25;

struct DrawnLane {
  const Lane* lane = nullptr;
  std::vector<GanttRow> rows;
  std::vector<RowMarks> marks;  ///< what is drawn of each row

  [[nodiscard]] std::size_t row_count() const { return std::max<std::size_t>(1, rows.size()); }
};

/// How tall rows are: the fewer there are, the more room each has.
struct RowSize {
  double pitch = 0;
  double gap = 0;
  double font = 0;  ///< of the labels in bars; 0: there is no room for any

  [[nodiscard]] double bar() const { return pitch - gap; }
  [[nodiscard]] double lane_height(std::size_t rows) const { return static_cast<double>(rows) * pitch + 5; }
};

RowSize row_size(std::size_t rows) {
  if (rows <= 40) return {.pitch = 20, .gap = 3, .font = 11};
  if (rows <= 120) return {.pitch = 16, .gap = 2, .font = 10};
  if (rows <= 300) return {.pitch = 13, .gap = 2, .font = 9};
  return {.pitch = 8, .gap = 1, .font = 0};
}

/// All that is decided before the first line is drawn.
struct GanttPlan {
  Scale scale;
  std::vector<DrawnLane> lanes;
  std::size_t rows = 0;  ///< of all lanes
  RowSize size;
  bool merged = false;   ///< whether spans are drawn as densities
  bool crowded = false;  ///< whether a lane has more spans at a time than rows
};

/// Decides what is drawn of all rows if bars are not to be thinner than that. Returns how many marks it takes.
std::size_t place_marks(GanttPlan& plan, double width, double thinnest, const Palette& palette) {
  std::size_t count = 0;
  plan.merged = false;
  for (DrawnLane& lane : plan.lanes) {
    lane.marks.clear();
    for (const GanttRow& row : lane.rows) {
      lane.marks.push_back(row_marks(row, plan.scale, width, thinnest, palette));
      count += lane.marks.back().bars.size() + lane.marks.back().densities.size();
      plan.merged = plan.merged || !lane.marks.back().densities.empty();
    }
  }
  return count;
}

GanttPlan plan_gantt(const Gantt& gantt, double width, const Palette& palette) {
  GanttPlan plan;
  plan.scale = time_scale(end_of(gantt), 10);
  const std::size_t shown = std::min(gantt.lanes.size(), kMostLanes);
  const std::size_t most_rows = shown == 0 ? 1 : std::clamp<std::size_t>(kMostRows / shown, 4, 40);
  for (std::size_t i = 0; i < shown; ++i) {
    plan.lanes.push_back({.lane = &gantt.lanes[i], .rows = stack_spans(gantt.lanes[i], most_rows), .marks = {}});
    plan.rows += plan.lanes.back().row_count();
    for (const GanttRow& row : plan.lanes.back().rows) plan.crowded = plan.crowded || row.crowded;
  }
  // A third of a pixel can be seen, unless there is so much that a browser would have trouble with all of it.
  for (double thinnest = 1.0 / 3; place_marks(plan, width, thinnest, palette) > kMostMarks && thinnest < 32;) {
    thinnest = thinnest < 1 ? 1 : thinnest * 2;
  }
  plan.size = row_size(plan.rows);
  return plan;
}

std::string describe(const Span& span) {
  std::string text = tooltip(span.label);
  const auto add_line = [&](std::string_view line) {
    if (!text.empty()) text += '\n';
    text += line;
  };
  if (!span.group.empty() && span.group != span.label) add_line(tooltip(span.group));
  add_line(fmt::format("{} – {} ({})", duration_text(span.from), duration_text(span.to),
                       duration_text(span.to - span.from)));
  if (!span.details.empty()) add_line(tooltip(span.details));
  return text;
}

class GanttDrawing {
 public:
  GanttDrawing(HtmlWriter& writer, const GanttPlan& plan, const Frame& frame, const Palette& palette)
      : writer_(writer), plan_(plan), frame_(frame), palette_(palette) {}

  void draw_axis(std::string_view title) {
    open_drawing(writer_, kAxisHeight, fmt::format("{}: time", title), "chart axis");
    draw_column_labels(writer_, plan_.scale, frame_, kAxisHeight - 8);
    draw_line(writer_, "base", frame_.left, kAxisHeight - 0.5, frame_.right, kAxisHeight - 0.5);
    writer_.close();
  }

  void draw_axis_below(std::string_view title) {
    open_drawing(writer_, kAxisHeight, fmt::format("{}: time", title));
    draw_column_labels(writer_, plan_.scale, frame_, 16);
    writer_.close();
  }

  /// Returns the first lane that did not fit.
  std::size_t draw_lanes(std::string_view title, std::size_t first) {
    std::size_t last = first;
    double height = 0;
    while (last < plan_.lanes.size()) {
      const double next = plan_.size.lane_height(plan_.lanes[last].row_count());
      if (last != first && height + next > kDrawingHeight) break;
      height += next;
      ++last;
    }
    open_drawing(writer_, height, title, "chart lanes");
    draw_columns(writer_, plan_.scale, {.left = frame_.left, .right = frame_.right, .top = 0, .bottom = height});
    double top = 0;
    for (std::size_t i = first; i < last; ++i) {
      draw_lane(plan_.lanes[i], top);
      top += plan_.size.lane_height(plan_.lanes[i].row_count());
    }
    writer_.close();
    return last;
  }

 private:
  void draw_lane(const DrawnLane& lane, double top) {
    const double bottom = top + plan_.size.lane_height(lane.row_count());
    writer_.open("g");
    writer_.open("text", {{"class", "lane"}, {"x", frame_.left - 10}, {"y", top + 2.5 + plan_.size.bar() / 2 + 4}});
    writer_.element("title", {}, tooltip(lane.lane->name));
    writer_.text(fitted(lane.lane->name, frame_.left - 14, kFontSize));
    writer_.close();
    for (std::size_t i = 0; i < lane.marks.size(); ++i) {
      draw_row(lane.marks[i], top + 2.5 + static_cast<double>(i) * plan_.size.pitch + plan_.size.gap / 2);
    }
    draw_line(writer_, "separator", 0, bottom, frame_.right, bottom);
    writer_.close();
  }

  void draw_row(const RowMarks& marks, double top) {
    for (const Density& density : marks.densities) draw_density(density, top);
    for (const Bar& bar : marks.bars) draw_bar(bar, top);
  }

  void draw_bar(const Bar& bar, double top) {
    const double width = bar.right - bar.left;
    const std::string_view colour = colour_class(palette_.of(bar.span->group));
    writer_.open("rect", {{"class", colour},
                          {"x", frame_.left + bar.left},
                          {"y", top},
                          {"width", width > 3 ? width - 0.75 : width},
                          {"height", plan_.size.bar()},
                          {"rx", width > 6 ? 2.0 : 0.0}});
    writer_.element("title", {}, describe(*bar.span));
    writer_.close();
    if (plan_.size.font == 0 || width < 24) return;
    const std::string label = fitted(bar.span->label, width - 10, plan_.size.font);
    // A few letters from the ends of a name say less than none.
    if (label.empty() || (label != bar.span->label && label.size() < kShortestCut)) return;
    writer_.element("text",
                    {{"class", colour},
                     {"font-size", plan_.size.font},
                     {"x", frame_.left + bar.left + 5},
                     {"y", top + plan_.size.bar() / 2 + plan_.size.font * 0.36}},
                    label);
  }

  void draw_density(const Density& density, double top) {
    const std::string_view colour = colour_class(density.colour);
    writer_.open("rect", {{"class", fmt::format("{} d{}", colour, density.level)},
                          {"x", frame_.left + density.left},
                          {"y", top},
                          {"width", density.right - density.left},
                          {"height", plan_.size.bar()}});
    const double seconds = (plan_.scale.to - plan_.scale.from) / frame_.width();
    const std::string range =
        fmt::format("{} – {}", duration_text(density.left * seconds), duration_text(density.right * seconds));
    writer_.element("title", {},
                    density.spans == 0 ? range : fmt::format("{}, {}", counted(density.spans, "span"), range));
    writer_.close();
  }

  HtmlWriter& writer_;
  const GanttPlan& plan_;
  const Frame& frame_;
  const Palette& palette_;
};

void draw_notes(HtmlWriter& writer, const Gantt& gantt, const GanttPlan& plan) {
  if (plan.lanes.size() < gantt.lanes.size()) {
    std::size_t spans = 0;
    for (std::size_t i = plan.lanes.size(); i < gantt.lanes.size(); ++i) spans += gantt.lanes[i].spans.size();
    draw_note(writer, fmt::format("{} of {} are shown. The other {}, with {}, are left out.", plan.lanes.size(),
                                  counted(gantt.lanes.size(), "line"),
                                  grouped_digits(gantt.lanes.size() - plan.lanes.size()), counted(spans, "span")));
  }
  if (plan.merged) {
    draw_note(writer,
              "Spans too short to be drawn one by one are merged: the stronger the colour, the more of the time they "
              "take.");
  }
  if (plan.crowded) {
    draw_note(writer, "Where more spans overlap than a line has rows for, the last row stands for all the others.");
  }
}

}  // namespace

std::vector<std::string_view> groups_of(const Gantt& gantt) {
  std::vector<std::string_view> groups;
  std::set<std::string_view> seen;
  for (const Lane& lane : gantt.lanes) {
    for (const Span& span : lane.spans) {
      if (seen.insert(span.group).second) groups.push_back(span.group);
    }
  }
  return groups;
}

double end_of(const Gantt& gantt) {
  if (gantt.end > 0 && std::isfinite(gantt.end)) return gantt.end;
  double end = 0;
  for (const Lane& lane : gantt.lanes) {
    for (const Span& span : lane.spans) {
      if (std::isfinite(span.to)) end = std::max(end, span.to);
    }
  }
  return end;
}

void draw_gantt(HtmlWriter& writer, const Gantt& gantt, const Frame& frame, const Palette& palette) {
  open_figure(writer, gantt.title);
  if (gantt.lanes.empty()) {
    draw_note(writer, "Nothing to show.");
    writer.close();
    return;
  }
  const GanttPlan plan = plan_gantt(gantt, frame.width(), palette);
  draw_legend(writer, groups_of(gantt), palette, LegendKey::kBox);
  draw_notes(writer, gantt, plan);
  GanttDrawing drawing(writer, plan, frame, palette);
  drawing.draw_axis(gantt.title);
  for (std::size_t next = 0; next < plan.lanes.size();) next = drawing.draw_lanes(gantt.title, next);
  if (plan.rows > kTallRows) drawing.draw_axis_below(gantt.title);
  writer.close();
}

}  // namespace loadline::page
