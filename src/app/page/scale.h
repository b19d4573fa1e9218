#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::page {

struct Tick {
  double value = 0;
  std::string label;
};

/// Maps values from `from` to `to` onto pixels, and says where lines with labels belong: at round values within it.
struct Scale {
  double from = 0;
  double to = 1;
  std::vector<Tick> ticks;

  /// Where a value lies between two pixels; what is beyond an end lies at it. REQUIRES: the value is a number.
  [[nodiscard]] double at(double value, double first_pixel, double last_pixel) const;
};

/// From 0 seconds to `end`, with ticks at round times ("0", "2h", "1d 12h"): about `most` of them at most. An end that
/// is no positive number counts as one second.
Scale time_scale(double end, std::size_t most);

/// What a scale of values must hold.
struct Range {
  double low = 0;
  double high = 0;
  bool whole = false;  ///< whether all values are whole numbers: then no tick is a fraction
};

/// From the tick at or below `low` to the tick at or above `high`, in a chart's unit. Fractions (unit "%") reach up to
/// 100 % if they come near it.
Scale value_scale(const Range& range, std::string_view unit, std::size_t most);

/// From `low` to `high` exactly.
Scale number_scale(const Range& range, std::size_t most);

}  // namespace loadline::page
