#include "objects/kube/batch/zoned_schedule.h"

#include <gtest/gtest.h>

namespace loadline::kube {
namespace {

Instant at(std::string_view text) { return *parse_rfc3339(text); }

/// A file without transitions, as the smallest databases have them: all is in the rules.
std::string file_of(std::string_view rules) {
  const auto header = [](char version, int kinds, int letters) {
    std::string text = "TZif";
    text += version;
    text.append(15, '\0');
    for (const int count : {0, 0, 0, 0, kinds, letters}) text += std::string("\0\0\0", 3) + static_cast<char>(count);
    return text;
  };
  const std::string block = std::string(6, '\0') + "X" + '\0';
  return header('2', 1, 2) + block + header('2', 1, 2) + block + '\n' + std::string(rules) + '\n';
}

ZonedSchedule schedule(std::string_view text, std::string_view rules) {
  return {*CronSchedule::parse(text), *TimeZone::parse(file_of(rules))};
}

std::string next(const ZonedSchedule& schedule, std::string_view now) {
  return format_rfc3339(*schedule.next(at(now)));
}

constexpr std::string_view kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";

TEST(ZonedSchedule, ReadsTheClocksOfThePlace) {
  const ZonedSchedule six = schedule("0 6 * * *", kBerlin);
  EXPECT_EQ(next(six, "2026-01-10T00:00:00Z"), "2026-01-10T05:00:00Z");
  EXPECT_EQ(next(six, "2026-07-10T00:00:00Z"), "2026-07-10T04:00:00Z");
  EXPECT_EQ(six.format(at("2026-07-10T04:00:00Z")), "2026-07-10T06:00:00+02:00");
  EXPECT_EQ(next(schedule("0 6 * * *", "EST5EDT,M3.2.0,M11.1.0"), "2026-07-10T00:00:00Z"), "2026-07-10T10:00:00Z");
  EXPECT_EQ(next(schedule("0 6 * * *", "<-03>3"), "2026-07-10T00:00:00Z"), "2026-07-10T09:00:00Z");
}

TEST(ZonedSchedule, LeavesOutTheHourThatIsLeftOut) {
  EXPECT_EQ(next(schedule("30 2 * * *", kBerlin), "2026-03-29T00:00:00Z"), "2026-03-30T00:30:00Z");
  EXPECT_EQ(next(schedule("0 3 * * *", kBerlin), "2026-03-29T00:00:00Z"), "2026-03-29T01:00:00Z");
}

TEST(ZonedSchedule, RunsTwiceInTheHourThatComesTwice) {
  const ZonedSchedule half_past_two = schedule("30 2 * * *", kBerlin);
  EXPECT_EQ(next(half_past_two, "2026-10-25T00:00:00Z"), "2026-10-25T00:30:00Z");
  EXPECT_EQ(next(half_past_two, "2026-10-25T00:30:00Z"), "2026-10-25T01:30:00Z");
  EXPECT_EQ(next(half_past_two, "2026-10-25T01:30:00Z"), "2026-10-26T01:30:00Z");
}

TEST(ZonedSchedule, IntervalsLookAtNoClock) {
  EXPECT_EQ(next(schedule("@every 1h", kBerlin), "2026-03-29T00:30:00Z"), "2026-03-29T01:30:00Z");
}

TEST(ZonedSchedule, NamesThePlaceOfAnOldSchedule) {
  EXPECT_EQ(zone_in_schedule("CRON_TZ=Asia/Tokyo 0 6 * * *"), "Asia/Tokyo");
  EXPECT_EQ(zone_in_schedule("0 6 * * *"), std::nullopt);
}

TEST(TimeZone, KnowsUtcAndRefusesWhatIsNoPlace) {
  EXPECT_EQ(TimeZone::find("UTC")->at(0).offset, 0);
  for (const char* name : {"Nowhere/Town", "../../../etc/passwd", "/etc/passwd", "Europe", "a b"}) {
    EXPECT_FALSE(TimeZone::find(name)) << name;
  }
}

TEST(TimeZone, ReadsTheDatabaseOfTheHost) {
  const auto berlin = TimeZone::find("Europe/Berlin");
  if (!berlin) GTEST_SKIP() << "this host has no time zone database";
  EXPECT_EQ(berlin->at(at("1900-01-01T00:00:00Z").nanoseconds / 1'000'000'000).offset, 3600);
  EXPECT_EQ(berlin->at(at("1945-06-01T00:00:00Z").nanoseconds / 1'000'000'000).offset, 3 * 3600);
  const TimeZone::Span span = berlin->at(at("2026-07-01T00:00:00Z").nanoseconds / 1'000'000'000);
  EXPECT_EQ(span.offset, 7200);
  EXPECT_EQ(span.end, at("2026-10-25T01:00:00Z").nanoseconds / 1'000'000'000);
  EXPECT_EQ(berlin->at(at("2060-07-01T00:00:00Z").nanoseconds / 1'000'000'000).offset, 7200);
}

TEST(TimeZone, ReadsNothingOutOfWhatIsCutOff) {
  const std::string file = file_of(kBerlin);
  ASSERT_TRUE(TimeZone::parse(file));
  for (std::size_t size = 0; size + kBerlin.size() + 2 < file.size(); ++size) {
    EXPECT_FALSE(TimeZone::parse(file.substr(0, size))) << size;
  }
  EXPECT_FALSE(TimeZone::parse(file_of("CET-1CEST,M3.5.0")));
}

}  // namespace
}  // namespace loadline::kube
