#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/batch/zoned_schedule.h"

namespace loadline::controllers {

/// The runs of a CronJob up to now that have not been made.
struct DueRuns {
  Instant since;                  ///< runs after that have not been made
  std::optional<Instant> latest;  ///< the only one that still counts; nothing: none is due
  std::int64_t count = 0;         ///< about how many there are, if several
};

/// With `within_deadline`, runs before startingDeadlineSeconds ago do not count. An error: the schedule makes no sense.
/// Source: mostRecentScheduleTime in pkg/controller/cronjob/utils.go, v1.36.
Result<DueRuns> due_runs(const kube::CronJob& cron_job, const kube::ZonedSchedule& schedule, bool within_deadline,
                         Instant now);

/// When to look again: a tenth of a second after the next run; nothing if there is none.
std::optional<Duration> until_next_run(const kube::CronJob& cron_job, const kube::ZonedSchedule& schedule, Instant now);

}  // namespace loadline::controllers
