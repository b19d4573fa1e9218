#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"

namespace loadline::schema {

/// A point in time as Go's time.Time tells it: any year from 0 to 9999, where base's Instant holds 1677 to 2262.
struct Timestamp {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z
  std::int32_t nanoseconds = 0;

  /// 0001-01-01T00:00:00Z, Go's zero time, which JSON writes as null.
  [[nodiscard]] bool is_zero() const { return seconds == -62'135'596'800 && nanoseconds == 0; }
};

enum class TimePrecision : std::uint8_t { kSeconds, kMicroseconds };

/// Reads what metav1.Time (kSeconds: RFC 3339, any fraction) or metav1.MicroTime (kMicroseconds: a fraction of exactly
/// six digits) read. Errors are Go's: `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
/// Source: time.Parse.
[[nodiscard]] Result<Timestamp> parse_timestamp(std::string_view text, TimePrecision precision);

/// In UTC, as metav1.Time and metav1.MicroTime write it.
[[nodiscard]] std::string format_timestamp(Timestamp at, TimePrecision precision);

/// As Go's time.Duration writes itself: "1m30s", "1.5s", "0s".
[[nodiscard]] std::string format_duration(Duration span);

}  // namespace loadline::schema
