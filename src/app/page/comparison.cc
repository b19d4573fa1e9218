#include "app/page/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/page/frame.h"
#include "app/page/label.h"
#include "app/page/quantity.h"
#include "app/page/scale.h"

namespace loadline::page {
namespace {

constexpr double kRowPitch = 24;
constexpr double kNameSize = 12;
constexpr Frame kVariants = {.left = 270, .right = 872, .top = 6, .bottom = 6};

bool is_shown(const Estimate& value) { return std::isfinite(value.mean); }

/// The interval as it is drawn: it holds the mean, whatever was given.
Estimate clean(const Estimate& value) {
  Estimate tidy = value;
  tidy.low = std::isfinite(value.low) ? std::min(value.low, value.mean) : value.mean;
  tidy.high = std::isfinite(value.high) ? std::max(value.high, value.mean) : value.mean;
  return tidy;
}

struct ComparisonPlan {
  Scale scale;
  int decimals = 0;
  bool from_zero = true;
};

ComparisonPlan plan_comparison(const Comparison& comparison) {
  Range range = {.low = INFINITY, .high = -INFINITY, .whole = true};
  for (const Comparison::Variant& variant : comparison.variants) {
    if (!is_shown(variant.value)) continue;
    const Estimate value = clean(variant.value);
    range.low = std::min(range.low, value.low);
    range.high = std::max(range.high, value.high);
    for (const double number : {value.mean, value.low, value.high}) {
      range.whole = range.whole && std::floor(number) == number;
    }
  }
  if (range.low > range.high) range = {.low = 0, .high = 0, .whole = false};
  ComparisonPlan plan;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  plan.decimals = comparison.unit == "%" ? (range.high - range.low < 0.1 ? 2 : 1)
                  : range.whole          ? 0
                                         : decimals_for(largest);
  // Dots, unlike bars, need no zero to be compared; it is there if it takes less than half of the room.
  if (range.low > 0 && range.low <= 0.5 * range.high) range.low = 0;
  if (range.high < 0 && range.high >= 0.5 * range.low) range.high = 0;
  plan.from_zero = range.low <= 0 && range.high >= 0;
  plan.scale = value_scale(range, comparison.unit, 7);
  return plan;
}

class ComparisonDrawing {
 public:
  ComparisonDrawing(HtmlWriter& writer, const Comparison& comparison, const ComparisonPlan& plan,
                    const Palette& palette)
      : writer_(writer), comparison_(comparison), plan_(plan), palette_(palette) {}

  void draw() {
    Frame frame = kVariants;
    frame.bottom += static_cast<double>(comparison_.variants.size()) * kRowPitch;
    open_drawing(writer_, frame.bottom + 26, comparison_.title);
    draw_columns(writer_, plan_.scale, frame);
    draw_column_labels(writer_, plan_.scale, frame, frame.bottom + 18);
    if (plan_.from_zero) draw_line(writer_, "base", x(0), frame.top, x(0), frame.bottom);
    for (std::size_t i = 0; i < comparison_.variants.size(); ++i) {
      draw_variant(comparison_.variants[i], frame.top + (static_cast<double>(i) + 0.5) * kRowPitch);
    }
    writer_.close();
  }

 private:
  [[nodiscard]] double x(double value) const { return plan_.scale.at(value, kVariants.left, kVariants.right); }
  [[nodiscard]] std::string number(double value) const { return value_text(value, comparison_.unit, plan_.decimals); }

  void draw_variant(const Comparison::Variant& variant, double y) {
    writer_.open("g");
    writer_.open("text", {{"class", "variant"}, {"x", 0.0}, {"y", y + 4}});
    writer_.element("title", {}, tooltip(variant.name));
    writer_.text(fitted(variant.name, kVariants.left - 16, kNameSize));
    writer_.close();
    draw_line(writer_, "guide", kVariants.left, y, kVariants.right, y);
    if (is_shown(variant.value)) {
      draw_estimate(variant, clean(variant.value), y);
    } else {
      draw_text(writer_, "value", kVariants.right + 18, y + 4, "no value");
    }
    writer_.close();
  }

  void draw_estimate(const Comparison::Variant& variant, const Estimate& value, double y) {
    const std::string_view colour = colour_class(palette_.of(variant.name));
    const std::string interval = fmt::format("{} – {}", number(value.low), number(value.high));
    writer_.open("g", {{"class", fmt::format("estimate {}", colour)}});
    writer_.element("title", {}, fmt::format("{}\n{} ({})", tooltip(variant.name), number(value.mean), interval));
    if (value.low < value.high) {
      draw_line(writer_, "whisker", x(value.low), y, x(value.high), y);
      draw_line(writer_, "whisker", x(value.low), y - 4, x(value.low), y + 4);
      draw_line(writer_, "whisker", x(value.high), y - 4, x(value.high), y + 4);
    }
    writer_.empty("circle", {{"cx", x(value.mean)}, {"cy", y}, {"r", 4.5}});
    writer_.close();
    draw_text(writer_, "value strong end", kVariants.right + 88, y + 4, number(value.mean));
    if (!(value.low < value.high)) return;
    draw_text(writer_, "tick end", kVariants.right + 162, y + 4, number(value.low));
    draw_text(writer_, "tick middle", kVariants.right + 171, y + 4, "–");
    draw_text(writer_, "tick", kVariants.right + 180, y + 4, number(value.high));
  }

  HtmlWriter& writer_;
  const Comparison& comparison_;
  const ComparisonPlan& plan_;
  const Palette& palette_;
};

std::string caption(const Comparison& comparison, const ComparisonPlan& plan) {
  const bool has_intervals = std::any_of(
      comparison.variants.begin(), comparison.variants.end(),
      [](const Comparison::Variant& variant) { return clean(variant.value).low < clean(variant.value).high; });
  std::string text;
  if (!comparison.unit.empty() && comparison.unit != "%" && comparison.unit != "s") {
    text = fmt::format("In {}. ", comparison.unit);
  }
  text +=
      has_intervals ? "Dots are means, whiskers their 95 % confidence intervals." : "Dots are values of single runs.";
  if (!plan.from_zero) text += " The axis does not begin at 0.";
  return text;
}

}  // namespace

void draw_comparison(HtmlWriter& writer, const Comparison& comparison, const Palette& palette) {
  open_figure(writer, comparison.title);
  if (comparison.variants.empty()) {
    draw_note(writer, "Nothing to show.");
  } else {
    const ComparisonPlan plan = plan_comparison(comparison);
    draw_note(writer, caption(comparison, plan));
    ComparisonDrawing(writer, comparison, plan, palette).draw();
  }
  writer.close();
}

}  // namespace loadline::page
