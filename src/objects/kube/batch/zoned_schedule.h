#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/batch/time_zone.h"

namespace loadline::kube {

/// A CronJob's schedule, read on the clocks of a place. What falls into an hour that is left out does not run, and
/// what falls into one that comes twice, runs twice: time passes, and the clock is looked at.
class ZonedSchedule {
 public:
  ZonedSchedule(CronSchedule schedule, TimeZone zone) : schedule_(schedule), zone_(std::move(zone)) {}

  /// The first run after `now`; nothing if CronSchedule finds none.
  [[nodiscard]] std::optional<Instant> next(Instant now) const;

  /// RFC 3339, with the offset that clocks have then: "2026-03-29T03:30:00+02:00".
  [[nodiscard]] std::string format(Instant at) const;

 private:
  CronSchedule schedule_;
  TimeZone zone_;
};

/// The place that an old schedule names in front: "TZ=Europe/Berlin 0 6 * * *"; nothing: it names none.
[[nodiscard]] std::optional<std::string_view> zone_in_schedule(std::string_view schedule);

}  // namespace loadline::kube
