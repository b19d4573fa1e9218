#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"

namespace loadline::kube {

/// A CronJob's schedule: five fields (minute, hour, day of month, month, day of week), `@hourly` and its like, or
/// `@every 1h30m`. Days match if both day fields do; if both are restricted, if either does.
/// Source: github.com/robfig/cron/v3, ParseStandard, which Kubernetes uses.
class CronSchedule {
 public:
  /// Errors are upstream's. A time zone in front (`TZ=` or `CRON_TZ=`) is read over: all schedules are in UTC.
  [[nodiscard]] static Result<CronSchedule> parse(std::string_view text);

  /// The first run after `now`; nothing if none falls within this year and the five that follow, or before
  /// Instant ends.
  [[nodiscard]] std::optional<Instant> next(Instant now) const;

  /// True of `@every`, which looks at no clock.
  [[nodiscard]] bool is_interval() const { return every_seconds_ != 0; }

 private:
  /// The values a field allows as bits; `any` if it was written as a star.
  struct Field {
    std::uint64_t bits = 0;
    bool any = false;
    [[nodiscard]] bool allows(unsigned value) const { return (bits >> value & 1) != 0; }
  };
  struct Bounds;
  static Result<CronSchedule> parse_descriptor(std::string_view text);
  static Result<CronSchedule> parse_fields(std::string_view text);
  static Result<Field> parse_field(std::string_view text, const Bounds& bounds);
  static Result<Field> parse_range(std::string_view text, const Bounds& bounds);
  [[nodiscard]] bool allows_day(std::int64_t days_since_epoch) const;

  enum FieldIndex : std::size_t { kMinute, kHour, kDayOfMonth, kMonth, kDayOfWeek };
  std::array<Field, 5> fields_;
  std::int64_t every_seconds_ = 0;  // of `@every`; 0: the fields count
};

}  // namespace loadline::kube
