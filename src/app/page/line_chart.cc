#include "app/page/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/page/label.h"
#include "app/page/legend.h"
#include "app/page/quantity.h"
#include "app/page/scale.h"
#include "app/page/thinning.h"

namespace loadline::page {
namespace {

constexpr double kPlotHeight = 210;
constexpr double kAbove = 10;
constexpr double kAboveForUnit = 24;
constexpr double kBelow = 26;  // for the labels of the horizontal axis
constexpr double kLabelPitch = 14;
constexpr std::size_t kMoments = 120;

struct DrawnCurve {
  const Curve* curve = nullptr;
  std::vector<Point> points;  ///< what can be seen of it
};

struct LinePlan {
  Scale x;
  Scale y;
  int decimals = 0;  ///< of the last values
  std::vector<DrawnCurve> curves;
};

template <class Visit>
void for_each_point(const LineChart& chart, std::size_t curves, const Visit& visit) {
  for (std::size_t i = 0; i < curves; ++i) {
    for (const Point& point : chart.curves[i].points) {
      if (std::isfinite(point.x) && std::isfinite(point.y)) visit(point);
    }
  }
}

/// Whether the unit stands at every value, so that the axis does not need it.
bool is_within_values(std::string_view unit) { return unit.empty() || unit == "%" || unit == "s"; }

Scale horizontal_scale(const LineChart& chart, double end, std::size_t curves) {
  Range range = {.low = INFINITY, .high = chart.end > 0 ? chart.end : -INFINITY, .whole = true};
  for_each_point(chart, curves, [&](const Point& point) {
    range.low = std::min(range.low, point.x);
    range.high = std::max(range.high, point.x);
    range.whole = range.whole && std::floor(point.x) == point.x;
  });
  if (chart.axis == Axis::kSeconds) return time_scale(std::max(range.high, end), 10);
  if (range.low > 0 && range.low < 0.25 * range.high) range.low = 0;
  return number_scale(range, 10);
}

Scale vertical_scale(const LineChart& chart, std::size_t curves) {
  Range range = {.low = 0, .high = 0, .whole = true};
  for_each_point(chart, curves, [&](const Point& point) {
    range.low = std::min(range.low, point.y);
    range.high = std::max(range.high, point.y);
    range.whole = range.whole && std::floor(point.y) == point.y;
  });
  return value_scale(range, chart.unit, 5);
}

LinePlan plan_line_chart(const LineChart& chart, double end, const Frame& frame) {
  const std::size_t shown = std::min(chart.curves.size(), kMostCurves);
  LinePlan plan{
      .x = horizontal_scale(chart, end, shown), .y = vertical_scale(chart, shown), .decimals = 0, .curves = {}};
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<Point> points = thinned(chart.curves[i].points, plan.x.from, plan.x.to, frame.width());
    if (points.empty()) continue;
    const double last = points.back().y;
    if (std::floor(last) != last) plan.decimals = chart.unit == "%" ? 1 : std::max(plan.decimals, decimals_for(last));
    plan.curves.push_back({.curve = &chart.curves[i], .points = std::move(points)});
  }
  return plan;
}

/// Places for labels that want to stand at the given heights: apart by kLabelPitch, in the same order, within the frame
/// if they fit there. REQUIRES: `wanted` ascends.
std::vector<double> spread(const std::vector<double>& wanted, const Frame& frame) {
  std::vector<double> places = wanted;
  for (std::size_t i = 1; i < places.size(); ++i) places[i] = std::max(places[i], places[i - 1] + kLabelPitch);
  double lowest = frame.bottom;
  for (std::size_t i = places.size(); i-- > 0;) {
    places[i] = std::min(places[i], lowest);
    lowest = places[i] - kLabelPitch;
  }
  return places;
}

class LineDrawing {
 public:
  LineDrawing(HtmlWriter& writer, const LineChart& chart, const LinePlan& plan, const Frame& frame,
              const Palette& palette)
      : writer_(writer), chart_(chart), plan_(plan), frame_(frame), palette_(palette) {}

  void draw() {
    draw_columns(writer_, plan_.x, frame_);
    draw_rows(writer_, plan_.y, frame_);
    draw_column_labels(writer_, plan_.x, frame_, frame_.bottom + 18);
    if (!is_within_values(chart_.unit)) {
      draw_text(writer_, "tick end", frame_.left - 8, frame_.top - 12, fitted(chart_.unit, frame_.left - 8, kFontSize));
    }
    for (const DrawnCurve& drawn : plan_.curves) draw_curve(drawn);
    draw_last_values();
    draw_moments();
  }

 private:
  [[nodiscard]] double x(double value) const { return plan_.x.at(value, frame_.left, frame_.right); }
  [[nodiscard]] double y(double value) const { return plan_.y.at(value, frame_.bottom, frame_.top); }
  [[nodiscard]] std::string_view colour(const DrawnCurve& drawn) const {
    return colour_class(palette_.of(drawn.curve->name));
  }

  void draw_curve(const DrawnCurve& drawn) {
    std::string path =
        fmt::format("M{} {}", coordinate_text(x(drawn.points.front().x)), coordinate_text(y(drawn.points.front().y)));
    double last_x = x(drawn.points.front().x);
    for (std::size_t i = 1; i < drawn.points.size(); ++i) {
      const double next_x = x(drawn.points[i].x);
      if (next_x != last_x) path += "H" + coordinate_text(next_x);
      path += "V" + coordinate_text(y(drawn.points[i].y));
      last_x = next_x;
    }
    path += "H" + coordinate_text(frame_.right);
    if (plan_.curves.size() == 1) {
      const std::string base = coordinate_text(y(0));
      const std::string area = fmt::format("{}V{}H{}Z", path, base, coordinate_text(x(drawn.points.front().x)));
      writer_.empty("path", {{"class", fmt::format("area {}", colour(drawn))}, {"d", area}});
    }
    writer_.empty("path", {{"class", fmt::format("line {}", colour(drawn))}, {"d", path}});
  }

  void draw_last_values() {
    std::vector<const DrawnCurve*> order;
    for (const DrawnCurve& drawn : plan_.curves) order.push_back(&drawn);
    std::stable_sort(order.begin(), order.end(),
                     [&](const DrawnCurve* a, const DrawnCurve* b) { return a->points.back().y > b->points.back().y; });
    std::vector<double> wanted;
    for (const DrawnCurve* drawn : order) wanted.push_back(y(drawn->points.back().y));
    const std::vector<double> places = spread(wanted, frame_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      writer_.empty(
          "circle",
          {{"class", fmt::format("dot {}", colour(*order[i]))}, {"cx", frame_.right}, {"cy", wanted[i]}, {"r", 3}});
      const bool is_alone = plan_.curves.size() == 1;
      draw_last_value(*order[i], places[i], is_alone);
    }
  }

  void draw_last_value(const DrawnCurve& drawn, double place, bool is_alone) {
    std::string value = value_text(drawn.points.back().y, chart_.unit, plan_.decimals);
    if (is_alone && !is_within_values(chart_.unit)) value += " " + chart_.unit;
    const double room = kChartWidth - frame_.right - 9;
    writer_.open("text", {{"class", "value"}, {"x", frame_.right + 9}, {"y", place + 4}});
    if (!is_alone) writer_.element("title", {}, tooltip(drawn.curve->name));
    writer_.element("tspan", {{"class", "strong"}}, value);
    if (!is_alone) {
      const std::string name = fitted(drawn.curve->name, room - width_of(value, kFontSize + 2) - 6, kFontSize);
      if (!name.empty()) writer_.element("tspan", {{"dx", 5}, {"class", colour(drawn)}}, name);
    }
    writer_.close();
  }

  [[nodiscard]] std::string at_moment(double moment, std::vector<std::size_t>& next) const {
    std::string text = chart_.axis == Axis::kSeconds ? duration_text(moment) : value_with_unit(moment, "");
    for (std::size_t i = 0; i < plan_.curves.size(); ++i) {
      const std::vector<Point>& points = plan_.curves[i].points;
      while (next[i] < points.size() && points[next[i]].x <= moment) ++next[i];
      if (next[i] == 0) continue;
      text += '\n';
      if (!plan_.curves[i].curve->name.empty()) text += tooltip(plan_.curves[i].curve->name) + ": ";
      text += value_with_unit(points[next[i] - 1].y, chart_.unit);
    }
    return text;
  }

  /// Invisible columns over the chart, each with what the values are in its middle.
  void draw_moments() {
    const double width = frame_.width() / kMoments;
    std::vector<std::size_t> next(plan_.curves.size());
    writer_.open("g", {{"class", "moments"}});
    for (std::size_t i = 0; i < kMoments; ++i) {
      const double part = (static_cast<double>(i) + 0.5) / kMoments;
      writer_.open("rect", {{"x", frame_.left + static_cast<double>(i) * width},
                            {"y", frame_.top},
                            {"width", width},
                            {"height", frame_.height()}});
      writer_.element("title", {}, at_moment(plan_.x.from + part * (plan_.x.to - plan_.x.from), next));
      writer_.close();
    }
    writer_.close();
  }

  HtmlWriter& writer_;
  const LineChart& chart_;
  const LinePlan& plan_;
  const Frame& frame_;
  const Palette& palette_;
};

}  // namespace

void draw_line_chart(HtmlWriter& writer, const LineChart& chart, double end, const Frame& frame,
                     const Palette& palette) {
  open_figure(writer, chart.title);
  const double top = is_within_values(chart.unit) ? kAbove : kAboveForUnit;
  // Last values of many curves need the height.
  const double labels = kLabelPitch * static_cast<double>(std::min(chart.curves.size(), kMostCurves));
  const Frame plot = {
      .left = frame.left, .right = frame.right, .top = top, .bottom = top + std::max(kPlotHeight, labels)};
  const LinePlan plan = plan_line_chart(chart, end, plot);
  if (plan.curves.empty()) {
    draw_note(writer, "Nothing to show.");
    writer.close();
    return;
  }
  if (chart.curves.size() > kMostCurves) {
    draw_note(writer, fmt::format("The first {} of {} curves are shown.", kMostCurves, chart.curves.size()));
  }
  if (plan.curves.size() > 1) {
    std::vector<std::string_view> names;
    for (const DrawnCurve& drawn : plan.curves) names.push_back(drawn.curve->name);
    draw_legend(writer, names, palette, LegendKey::kLine);
  }
  open_drawing(writer, plot.bottom + kBelow, chart.title);
  LineDrawing(writer, chart, plan, plot, palette).draw();
  writer.close();
  writer.close();
}

}  // namespace loadline::page
