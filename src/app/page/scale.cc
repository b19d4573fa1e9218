#include "app/page/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/page/quantity.h"

namespace loadline::page {
namespace {

/// Beyond this, ticks are no longer told apart; what is larger is drawn at the end of the scale.
constexpr double kLargest = 1e18;
constexpr double kSmallest = 1e-9;

/// The least of 1, 2 and 5 times a power of ten that is `least` or more.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

double round_time_step(double least) {
  constexpr std::array<double, 26> kSteps = {
      1,     2,          5,          10,         15,          30,          60,          120,        300,
      600,   900,        1800,       3600,       7200,        10800,       14400,       21600,      43200,
      86400, 2 * 86400., 3 * 86400., 7 * 86400., 14 * 86400., 28 * 86400., 56 * 86400., 84 * 86400.};
  if (least < 1) return round_step(least);
  const auto* const step = std::lower_bound(kSteps.begin(), kSteps.end(), least * (1 - 1e-9));
  return step != kSteps.end() ? *step : round_step(least / 86400) * 86400;
}

int decimals_of_step(double step) {
  if (step >= 1) return 0;
  return std::min(9, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

template <class Label>
void add_ticks(Scale& scale, double step, const Label& label) {
  const double first = std::ceil(scale.from / step - 1e-9);
  const double last = std::floor(scale.to / step + 1e-9);
  for (double i = first; i <= last && scale.ticks.size() < 100; ++i) {
    const double value = i == 0 ? 0 : i * step;
    scale.ticks.push_back({.value = value, .label = label(value)});
  }
}

/// From the tick below the range to the tick above it, one step apart at least.
void reach_ticks(Scale& scale, const Range& range, double step) {
  const double first = std::floor(range.low / step + 1e-9);
  scale.from = first * step;
  scale.to = std::max(first + 1, std::ceil(range.high / step - 1e-9)) * step;
}

Range bounded(const Range& range) {
  Range clean = range;
  clean.low = std::isfinite(range.low) ? std::clamp(range.low, -kLargest, kLargest) : 0;
  clean.high = std::isfinite(range.high) ? std::clamp(range.high, -kLargest, kLargest) : 0;
  const double room = std::max(kSmallest, 1e-9 * std::max(std::abs(clean.low), std::abs(clean.high)));
  if (clean.high - clean.low < room) clean.high = clean.low + std::max(1.0, std::abs(clean.low) * 0.1);
  return clean;
}

double step_of(const Range& range, std::size_t most) {
  const double step = round_step((range.high - range.low) / static_cast<double>(most));
  return range.whole ? std::max(1.0, step) : step;
}

}  // namespace

double Scale::at(double value, double first_pixel, double last_pixel) const {
  if (!(to > from)) return first_pixel;
  const double part = std::clamp((std::clamp(value, from, to) - from) / (to - from), 0.0, 1.0);
  return first_pixel + part * (last_pixel - first_pixel);
}

Scale time_scale(double end, std::size_t most) {
  Scale scale;
  scale.to = std::isfinite(end) && end > kSmallest ? std::min(end, kLargest) : 1;
  const double step = round_time_step(scale.to / static_cast<double>(most));
  add_ticks(scale, step, [&](double value) {
    if (value == 0) return std::string("0");
    return step < 1 ? number_text(value, decimals_of_step(step)) + "s" : duration_text(value);
  });
  return scale;
}

Scale value_scale(const Range& range, std::string_view unit, std::size_t most) {
  Range clean = bounded(range);
  Scale scale;
  if (unit == "s") {
    const double step = round_time_step((clean.high - clean.low) / static_cast<double>(most));
    reach_ticks(scale, clean, step);
    add_ticks(scale, step, [&](double value) { return value == 0 ? std::string("0") : duration_text(value); });
    return scale;
  }
  const bool is_fraction = unit == "%";
  if (is_fraction) clean.whole = false;
  if (is_fraction && clean.low >= 0 && clean.low < 0.5 && clean.high > 0.4 && clean.high <= 1 + 1e-9) clean.high = 1;
  const bool is_all = is_fraction && clean.low == 0 && clean.high == 1 && most < 10;
  const double step = is_all ? 0.25 : step_of(clean, most);
  reach_ticks(scale, clean, step);
  const int decimals = decimals_of_step(is_fraction ? step * 100 : step);
  add_ticks(scale, step, [&](double value) { return value_text(value, unit, decimals); });
  return scale;
}

Scale number_scale(const Range& range, std::size_t most) {
  const Range clean = bounded(range);
  Scale scale{.from = clean.low, .to = clean.high, .ticks = {}};
  const double step = step_of(clean, most);
  add_ticks(scale, step, [&](double value) { return number_text(value, decimals_of_step(step)); });
  return scale;
}

}  // namespace loadline::page
