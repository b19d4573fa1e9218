#pragma once

#include <string_view>

#include "app/page/html_writer.h"
#include "app/page/scale.h"

namespace loadline::page {

/// Sizes in pixels, which all charts of a page share: where charts over time stand below each other, one moment is one
/// vertical line. On a narrow screen, charts are scaled.
inline constexpr double kChartWidth = 1120;
inline constexpr double kFontSize = 11;

/// The part of a chart in which data is drawn.
struct Frame {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
};

/// Opens a figure with a heading; close() ends it.
void open_figure(HtmlWriter& writer, std::string_view title);

/// A line in small print below a heading, or below a chart.
void draw_note(HtmlWriter& writer, std::string_view text);

/// Opens an svg element of the whole width; close() ends it.
void open_drawing(HtmlWriter& writer, double height, std::string_view description,
                  std::string_view css_class = "chart");

/// A straight line from one point to another.
void draw_line(HtmlWriter& writer, std::string_view css_class, double x1, double y1, double x2, double y2);

/// A text at a point; `css_class` says how it is anchored.
void draw_text(HtmlWriter& writer, std::string_view css_class, double x, double y, std::string_view text);

/// Vertical lines at the ticks.
void draw_columns(HtmlWriter& writer, const Scale& scale, const Frame& frame);

/// The labels of vertical lines, with their baseline at `y`.
void draw_column_labels(HtmlWriter& writer, const Scale& scale, const Frame& frame, double y);

/// Horizontal lines at the ticks, with labels left of them.
void draw_rows(HtmlWriter& writer, const Scale& scale, const Frame& frame);

}  // namespace loadline::page
