#include "objects/schema/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"µs", 1'000},  // U+00B5, the micro sign
                                         {"μs", 1'000},  // U+03BC, the Greek letter
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"h", 3'600'000'000'000}}};

/// One more than the longest duration: its negative is the shortest.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;

/// Cuts the digits off the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<std::uint64_t> whole(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char digit : digits) {
    if (value > kLimit / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    if (value > kLimit) return std::nullopt;
  }
  return value;
}

/// "0." + `digits` units, in floating point and cut to as many digits as fit 63 bits: as Go has it.
std::uint64_t fraction(std::string_view digits, std::uint64_t unit) {
  std::uint64_t value = 0;
  double scale = 1;
  for (const char digit : digits) {
    if (value > (kLimit - 1) / 10) break;
    const std::uint64_t longer = value * 10 + static_cast<std::uint64_t>(digit - '0');
    if (longer > kLimit) break;
    value = longer;
    scale *= 10;
  }
  return static_cast<std::uint64_t>(static_cast<double>(value) * (static_cast<double>(unit) / scale));
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto wrong = [text](const std::string& what) { return failure("time: " + what + " duration " + quoted(text)); };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration{};
  if (rest.empty()) return wrong("invalid");
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const std::string_view before = take_digits(rest);
    std::string_view after;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      after = take_digits(rest);
    }
    const std::optional<std::uint64_t> count = whole(before);
    if ((before.empty() && after.empty()) || !count) return wrong("invalid");
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789."));
    if (name.empty()) return wrong("missing unit in");
    const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
    if (unit == kUnits.end()) return wrong("unknown unit " + quoted(name) + " in");
    rest.remove_prefix(name.size());
    if (*count > kLimit / unit->nanoseconds) return wrong("invalid");
    const std::uint64_t part = *count * unit->nanoseconds + fraction(after, unit->nanoseconds);
    if (part > kLimit || part > kLimit - total) return wrong("invalid");
    total += part;
  }
  if (negative && total == kLimit) return Duration{std::numeric_limits<std::int64_t>::min()};
  if (total == kLimit) return wrong("invalid");
  const auto nanoseconds = static_cast<std::int64_t>(total);
  return Duration{negative ? -nanoseconds : nanoseconds};
}

}  // namespace loadline::schema
