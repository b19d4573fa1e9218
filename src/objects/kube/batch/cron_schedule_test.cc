#include "objects/kube/batch/cron_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace loadline::kube {
namespace {

Instant at(const char* text) { return *parse_rfc3339(text); }

TEST(CronSchedule, FindsTheNextRun) {
  struct Case {
    const char* schedule;
    const char* now;
    const char* expected;  // null: no run
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
      {"@every 1.5s", "2026-01-01T00:00:00.7Z", "2026-01-01T00:00:01Z"},
      {"@every -1h", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"},
      {"59/9223372036854775807 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:59:00Z"},
      {",0 3,4, * *\t*", "2026-01-01T03:00:00Z", "2026-01-01T04:00:00Z"},
      {"CRON_TZ=Asia/Tokyo  @daily ", "2026-01-01T03:00:00Z", "2026-01-02T00:00:00Z"},
      {"0 0 29 2 *", "2096-03-01T00:00:00Z", nullptr},
      {"0 0 29 2 *", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 30 2 *", "2026-01-01T00:00:00Z", nullptr},
      {", * * * *", "2026-01-01T00:00:00Z", nullptr},
      {"@every 2000000h", "2100-01-01T00:00:00Z", nullptr},
  };
  for (const Case& item : cases) {
    const auto schedule = CronSchedule::parse(item.schedule);
    ASSERT_TRUE(schedule) << item.schedule << ": " << schedule.error().message;
    const auto next = schedule->next(at(item.now));
    ASSERT_EQ(next.has_value(), item.expected != nullptr) << item.schedule;
    if (next) {
      EXPECT_EQ(format_rfc3339(*next), item.expected) << item.schedule;
    }
  }
}

TEST(CronSchedule, SaysWhatItCannotRead) {
  struct Case {
    const char* schedule;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"", "empty spec string"},
      {"* * *", "expected exactly 5 fields, found 3: [* * *]"},
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
      {"1/2/3 * * * *", "too many slashes: 1/2/3"},
      {"x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"-5 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"*/-5 * * * *", "negative number (-5) not allowed: -5"},
      {"99999999999999999999 * * * *",
       "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value out of "
       "range"},
      {"TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"TZ=UTC * *", "expected exactly 5 fields, found 2: [* *]"},
      {"@never", "unrecognized descriptor: @never"},
      {"@hourly ", "unrecognized descriptor: @hourly "},
      {"@every soon", "failed to parse duration @every soon: time: invalid duration \"soon\""},
      {"@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""},
  };
  for (const Case& item : cases) {
    const auto schedule = CronSchedule::parse(item.schedule);
    ASSERT_FALSE(schedule) << item.schedule;
    EXPECT_EQ(schedule.error().message, item.expected);
  }
}

}  // namespace
}  // namespace loadline::kube
