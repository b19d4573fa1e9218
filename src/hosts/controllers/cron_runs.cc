#include "hosts/controllers/cron_runs.h"

#include <algorithm>

namespace loadline::controllers {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr Duration kPadding{kNanosecondsPerSecond / 10};

}  // namespace

Result<DueRuns> due_runs(const kube::CronJob& cron_job, const kube::ZonedSchedule& schedule, bool within_deadline,
                         Instant now) {
  DueRuns due;
  due.since = cron_job.status.last_schedule_time.value_or(cron_job.metadata.creation_timestamp.value_or(now));
  if (within_deadline && cron_job.starting_deadline_seconds) {
    due.since = std::max(due.since, now + Duration::seconds(-*cron_job.starting_deadline_seconds));
  }
  const auto senseless = [] { return failure("time difference between two schedules is less than 1 second"); };
  const std::optional<Instant> first = schedule.next(due.since);
  if (!first) return senseless();
  if (now < *first) return due;
  const std::optional<Instant> second = schedule.next(*first);
  if (second && now < *second) {
    due.latest = *first;
    return due;
  }
  if (!second || *second - *first < Duration{kNanosecondsPerSecond}) return senseless();
  // So many may have been missed that they are not gone through one by one: the last is looked for close to its place.
  const std::int64_t between = (*second - *first).nanoseconds / kNanosecondsPerSecond;
  const std::int64_t passed = (now - *first).nanoseconds / kNanosecondsPerSecond;
  due.count = passed / between + 1;
  const Instant close = *first + Duration::seconds((due.count - 2) * between);
  for (auto run = schedule.next(close); run && *run <= now; run = schedule.next(*run)) due.latest = run;
  return due;
}

std::optional<Duration> until_next_run(const kube::CronJob& cron_job, const kube::ZonedSchedule& schedule,
                                       Instant now) {
  const Result<DueRuns> due = due_runs(cron_job, schedule, false, now);
  Instant from = now;
  if (due && due->latest) {
    from = *due->latest;
  } else if (due && due->count == 0) {
    from = due->since;
  }
  const std::optional<Instant> next = schedule.next(from);
  if (!next) return std::nullopt;
  return *next + kPadding - now;
}

}  // namespace loadline::controllers
