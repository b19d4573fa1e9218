#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::kube {

/// How far the clocks of a place are from UTC, and when that changes. Source of the data: the host's time zone
/// database (RFC 9636).
class TimeZone {
 public:
  /// From then on (seconds since 1970) clocks are so many seconds ahead of UTC, until `end`; none: for ever.
  struct Span {
    std::int64_t offset = 0;
    std::optional<std::int64_t> end;
  };

  /// "Europe/Berlin"; nothing if the host does not know the place. "" and "UTC" are known everywhere.
  /// Reads a file of at most 1 MB.
  [[nodiscard]] static std::optional<TimeZone> find(std::string_view name);
  /// Of the contents of a TZif file; nothing if it is none.
  [[nodiscard]] static std::optional<TimeZone> parse(std::string_view file);

  [[nodiscard]] Span at(std::int64_t time) const;

 private:
  struct Transition {
    std::int64_t time = 0;
    std::int64_t offset = 0;
  };
  /// When clocks change in a year: "M3.5.0/2", the last Sunday of March at two; "J60": the 60th day, never 29 February;
  /// "59": the day of that number from 0.
  struct Rule {
    enum class Day : std::uint8_t { kOfMonth, kOfYearWithoutLeap, kOfYear };
    Day day = Day::kOfMonth;
    std::int64_t month = 1, week = 1, number = 0;
    std::int64_t seconds = 7200;

    [[nodiscard]] std::int64_t in(std::int64_t year) const;  ///< of the wall clock
  };
  class RuleReader;

  static bool read_rules(std::string_view text, TimeZone& zone);
  [[nodiscard]] Span by_rule(std::int64_t time) const;

  std::int64_t first_offset_ = 0;
  std::vector<Transition> transitions_;
  std::int64_t standard_ = 0;             // after the last of them
  std::optional<std::int64_t> daylight_;  // if clocks go on changing, as the rules say
  Rule begin_;
  Rule end_;
};

}  // namespace loadline::kube
