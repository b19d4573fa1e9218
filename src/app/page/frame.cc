#include "app/page/frame.h"

#include <fmt/format.h>

namespace loadline::page {

void open_figure(HtmlWriter& writer, std::string_view title) {
  writer.open("section");
  if (!title.empty()) writer.element("h2", {}, title);
}

void draw_note(HtmlWriter& writer, std::string_view text) { writer.element("p", {{"class", "note"}}, text); }

void open_drawing(HtmlWriter& writer, double height, std::string_view description, std::string_view css_class) {
  writer.open("svg", {{"class", css_class},
                      {"viewBox", fmt::format("0 0 {} {}", coordinate_text(kChartWidth), coordinate_text(height))},
                      {"width", kChartWidth},
                      {"height", height},
                      {"role", "img"},
                      {"aria-label", description}});
}

void draw_line(HtmlWriter& writer, std::string_view css_class, double x1, double y1, double x2, double y2) {
  writer.empty("line", {{"class", css_class}, {"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

void draw_text(HtmlWriter& writer, std::string_view css_class, double x, double y, std::string_view text) {
  writer.element("text", {{"class", css_class}, {"x", x}, {"y", y}}, text);
}

void draw_columns(HtmlWriter& writer, const Scale& scale, const Frame& frame) {
  for (const Tick& tick : scale.ticks) {
    const double x = scale.at(tick.value, frame.left, frame.right);
    draw_line(writer, "grid", x, frame.top, x, frame.bottom);
  }
}

void draw_column_labels(HtmlWriter& writer, const Scale& scale, const Frame& frame, double y) {
  for (const Tick& tick : scale.ticks) {
    draw_text(writer, "tick middle", scale.at(tick.value, frame.left, frame.right), y, tick.label);
  }
}

void draw_rows(HtmlWriter& writer, const Scale& scale, const Frame& frame) {
  for (const Tick& tick : scale.ticks) {
    const double y = scale.at(tick.value, frame.bottom, frame.top);
    draw_line(writer, tick.value == 0 ? "base" : "grid", frame.left, y, frame.right, y);
    draw_text(writer, "tick end", frame.left - 8, y + 4, tick.label);
  }
}

}  // namespace loadline::page
