#include "workloads/cron_schedule.h"

#include <gtest/gtest.h>

#include "workloads/test_objects.h"

namespace loadline::workloads {
namespace {

using testing::kSeed;
using testing::workload;

Instant at(const char* text) { return *parse_rfc3339(text); }

TEST(CronSchedule, FindsTheNextRun) {
  struct Case {
    const char* schedule;
    const char* now;
    const char* expected;
  };
  // 2026-01-01 is a Thursday.
  const std::vector<Case> cases = {
      {"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
      {"* * * * *", "2026-01-01T00:00:59.5Z", "2026-01-01T00:01:00Z"},
      {"0 3 * * *", "2026-01-01T03:00:00Z", "2026-01-02T03:00:00Z"},
      {"*/15 * * * *", "2026-01-01T00:14:00Z", "2026-01-01T00:15:00Z"},
      {"5/20 * * * *", "2026-01-01T00:26:00Z", "2026-01-01T00:45:00Z"},
      {"0 9-17/4 * * MON-FRI", "2026-01-02T18:00:00Z", "2026-01-05T09:00:00Z"},
      {"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
      {"0 0 */2 * 5", "2026-01-03T00:00:00Z", "2026-01-05T00:00:00Z"},
      {"30 0 1,15 jan,Jul ?", "2026-01-01T01:00:00Z", "2026-01-15T00:30:00Z"},
      {"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
      {"@every 1h30m", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z"},
  };
  for (const Case& item : cases) {
    const auto schedule = CronSchedule::parse(item.schedule);
    ASSERT_TRUE(schedule) << item.schedule << ": " << schedule.error().message;
    const auto next = schedule->next(at(item.now));
    ASSERT_TRUE(next) << item.schedule;
    EXPECT_EQ(format_rfc3339(*next), item.expected) << item.schedule;
  }
}

TEST(CronSchedule, NeverRunsOnDaysThatDoNotExist) {
  EXPECT_FALSE(CronSchedule::parse("0 0 30 2 *")->next(testing::kNow));
}

TEST(CronSchedule, SaysWhatItCannotRead) {
  struct Case {
    const char* schedule;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"* * *", "expected exactly 5 fields, found 3: [* * *]"},
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"x * * * *", "failed to parse number: x"},
      {"@never", "unrecognized descriptor: @never"},
      {"@every soon", "failed to parse duration @every soon"},
  };
  for (const Case& item : cases) {
    const auto schedule = CronSchedule::parse(item.schedule);
    ASSERT_FALSE(schedule) << item.schedule;
    EXPECT_EQ(schedule.error().message, item.expected);
  }
}

kube::Objects nightly() {
  kube::Objects objects;
  objects.cron_jobs = {workload<kube::CronJob>("nightly")};
  objects.cron_jobs[0].schedule = "0 3 * * *";
  objects.cron_jobs[0].job_spec.parallelism = 2;
  objects.cron_jobs[0].job_spec.completions = 2;
  return objects;
}

TEST(CronJob, ShowsThePodsOfItsNextRun) {
  const kube::Objects objects = nightly();
  const Expansion expansion = expand(objects, testing::kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 2U);
  // 2026-01-01T03:00Z is 29,453,940 minutes after 1970.
  EXPECT_EQ(expansion.pods[0].pod.metadata.controller()->name, "nightly-29453940");
  EXPECT_EQ(expansion.pods[0].workload.to_string(), "CronJob default/nightly");
  EXPECT_EQ(owner_of(expansion.pods[0].pod, objects), expansion.pods[0].workload);
}

TEST(CronJob, ThatIsSuspendedOrUnreadableSaysSo) {
  kube::Objects objects = nightly();
  objects.cron_jobs[0].suspend = true;
  EXPECT_EQ(expand(objects, testing::kNow, kSeed).notes.at(0).message, "is suspended");
  objects = nightly();
  objects.cron_jobs[0].schedule = "soon";
  EXPECT_EQ(expand(objects, testing::kNow, kSeed).notes.at(0).message,
            "has no next run: expected exactly 5 fields, found 1: [soon]");
}

}  // namespace
}  // namespace loadline::workloads
