#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadline {

/// A span of time in nanoseconds.
struct Duration {
  std::int64_t nanoseconds = 0;

  static constexpr Duration seconds(std::int64_t count) { return {count * 1'000'000'000}; }
  friend constexpr auto operator<=>(const Duration&, const Duration&) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.nanoseconds + b.nanoseconds}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.nanoseconds - b.nanoseconds}; }
};

/// A point in time: nanoseconds since 1970-01-01T00:00:00Z. Decisions get it as an argument and never read a clock.
struct Instant {
  std::int64_t nanoseconds = 0;

  friend constexpr auto operator<=>(const Instant&, const Instant&) = default;
  friend constexpr Instant operator+(Instant at, Duration span) { return {at.nanoseconds + span.nanoseconds}; }
  friend constexpr Duration operator-(Instant later, Instant earlier) {
    return {later.nanoseconds - earlier.nanoseconds};
  }
};

/// Reads RFC 3339 ("2026-01-01T00:00:00Z", fraction and offset allowed); nothing if `text` is not that.
/// What 64 bits of nanoseconds cannot reach (before September 1677, after April 2262) becomes the nearest they can.
std::optional<Instant> parse_rfc3339(std::string_view text);

/// Writes RFC 3339 in UTC with whole seconds, as Kubernetes writes metav1.Time.
std::string format_rfc3339(Instant at);

/// "Mon, 02 Jan 2006 15:04:05" in UTC, as HTTP and Go's RFC1123 begin a date; the zone comes behind it.
std::string format_rfc1123(Instant at);

}  // namespace loadline
