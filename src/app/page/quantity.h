#pragma once

#include <string>
#include <string_view>

namespace loadline::page {

/// A number with that many decimals, digits in groups of three from ten thousand on: "8152", "12 000", "−0.5". What has
/// more than 15 digits before the point is written with an exponent; what is no number reads "–".
std::string number_text(double value, int decimals);

/// Seconds by their two largest units: "3d 4h", "7h 12m", "1m 30s", "45s", "0.25s", "0s".
std::string duration_text(double seconds);

/// How many decimals tell values of this magnitude apart: 0 from 100 on, 1 from 10 on, and so on to 4.
int decimals_for(double magnitude);

/// A value in a chart's unit: "87%" for 0.87 and "%", "7h 12m" for "s", else the number alone.
std::string value_text(double value, std::string_view unit, int decimals);

/// The same, followed by the unit if it is a word: "12 GPUs".
std::string value_with_unit(double value, std::string_view unit);

}  // namespace loadline::page
