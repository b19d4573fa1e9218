#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::recording {

/// The first member of a recording's first line, and what it says.
inline constexpr std::string_view kFormat = "loadline-recording/v2";

/// "2026-01-01T00:00:00.000000001Z": RFC 3339 with all nanoseconds.
[[nodiscard]] std::string format_at(Instant at);

/// A line of a recording as it is written: one JSON object, its members in the order in which they are added.
class Line {
 public:
  /// What the scheduler is told: it begins with the time.
  static Line input(Instant at);
  /// What the scheduler does, at the time of the input before it.
  static Line output() { return {}; }

  Line& text(std::string_view name, std::string_view value);
  /// Left out if it is empty.
  Line& some_text(std::string_view name, std::string_view value);
  Line& number(std::string_view name, std::uint64_t value);
  /// `true`; left out if it is false.
  Line& flag(std::string_view name, bool value);
  Line& json(std::string_view name, const document::Value& value);

  /// The line, without a line feed.
  [[nodiscard]] std::string end() &&;

 private:
  Line() = default;
  void begin_member(std::string_view name);

  std::string text_ = "{";
};

}  // namespace loadline::recording
