#include "app/page/quantity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace loadline::page {
namespace {

constexpr std::string_view kThinSpace = "\u202F";  // the one at which no line breaks
constexpr std::string_view kMinus = "\u2212";

std::string grouped(std::string_view digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  if (whole < 5) return std::string(digits);
  std::string text;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i != 0 && (whole - i) % 3 == 0) text += kThinSpace;
    text += digits[i];
  }
  text += digits.substr(whole);
  return text;
}

struct TimeUnit {
  double seconds;
  std::string_view letter;
};
constexpr std::array<TimeUnit, 4> kTimeUnits = {{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}}};

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string number_text(double value, int decimals) {
  if (!std::isfinite(value)) return "–";
  const std::string digits = std::abs(value) < 1e15 ? grouped(fmt::format("{:.{}f}", std::abs(value), decimals))
                                                    : fmt::format("{:.2e}", std::abs(value));
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !is_zero ? fmt::format("{}{}", kMinus, digits) : digits;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds < 0) return fmt::format("{}{}", kMinus, duration_text(-seconds));
  if (seconds < 10) return trimmed(fmt::format("{:.2f}", seconds)) + "s";
  for (std::size_t i = 0; i + 1 < kTimeUnits.size(); ++i) {
    // Rounded to the smaller of the two units first, so that 3599.9 seconds are "1h" and not "59m 60s".
    const TimeUnit large = kTimeUnits[i];
    const TimeUnit small = kTimeUnits[i + 1];
    const double rounded = std::round(seconds / small.seconds) * small.seconds;
    if (rounded < large.seconds) continue;
    const double count = std::floor(rounded / large.seconds);
    const double rest = std::round((rounded - count * large.seconds) / small.seconds);
    std::string text = number_text(count, 0) + std::string(large.letter);
    if (rest >= 1 && count < 1e6) text += fmt::format(" {:.0f}{}", rest, small.letter);
    return text;
  }
  return fmt::format("{:.0f}s", seconds);
}

int decimals_for(double magnitude) {
  const double size = std::abs(magnitude);
  if (size >= 100 || size == 0) return 0;
  if (size >= 10) return 1;
  if (size >= 1) return 2;
  return size >= 0.1 ? 3 : 4;
}

std::string value_text(double value, std::string_view unit, int decimals) {
  if (unit == "s") return duration_text(value);
  if (unit == "%") return number_text(value * 100, decimals) + "%";
  return number_text(value, decimals);
}

std::string value_with_unit(double value, std::string_view unit) {
  if (unit == "s") return duration_text(value);
  if (unit == "%") return trimmed(number_text(value * 100, 1)) + "%";
  std::string text = trimmed(number_text(value, decimals_for(value)));
  if (!unit.empty()) text += fmt::format(" {}", unit);
  return text;
}

}  // namespace loadline::page
