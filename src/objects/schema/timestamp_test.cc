#include "objects/schema/timestamp.h"

#include <gtest/gtest.h>

namespace loadline::schema {
namespace {

std::string seconds(std::string_view text) {
  const auto at = parse_timestamp(text, TimePrecision::kSeconds);
  return at ? format_timestamp(*at, TimePrecision::kSeconds) : at.error().message;
}

std::string micros(std::string_view text) {
  const auto at = parse_timestamp(text, TimePrecision::kMicroseconds);
  return at ? format_timestamp(*at, TimePrecision::kMicroseconds) : at.error().message;
}

TEST(Timestamp, BecomesUtcInWholeSeconds) {
  EXPECT_EQ(seconds("2026-11-21T02:30:15Z"), "2026-11-21T02:30:15Z");
  EXPECT_EQ(seconds("2026-11-21T02:30:15.987654321+02:00"), "2026-11-21T00:30:15Z");
  EXPECT_EQ(seconds("2024-02-29T23:59:59-00:01"), "2024-03-01T00:00:59Z");
  EXPECT_EQ(seconds("9999-12-31T23:59:59Z"), "9999-12-31T23:59:59Z");
  EXPECT_EQ(seconds("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00Z");
  EXPECT_TRUE(parse_timestamp("0001-01-01T00:00:00Z", TimePrecision::kSeconds)->is_zero());
  EXPECT_EQ(seconds("1969-12-31T23:59:59Z"), "1969-12-31T23:59:59Z");
}

TEST(Timestamp, MicrosecondsNeedSixDigits) {
  EXPECT_EQ(micros("2026-11-21T02:30:15.123456Z"), "2026-11-21T02:30:15.123456Z");
  EXPECT_EQ(
      micros("2026-11-21T02:30:15Z"),
      R"(parsing time "2026-11-21T02:30:15Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")");
}

TEST(Timestamp, ComplainsInGosWords) {
  const std::string as = R"( as "2006-01-02T15:04:05Z07:00": cannot parse )";
  EXPECT_EQ(seconds("abc"), R"(parsing time "abc")" + as + R"("abc" as "2006")");
  EXPECT_EQ(seconds(""), R"(parsing time "")" + as + R"("" as "2006")");
  EXPECT_EQ(seconds("2026-11-21"), R"(parsing time "2026-11-21")" + as + R"("" as "T")");
  EXPECT_EQ(seconds("2026-11-21T02:30:15"), R"(parsing time "2026-11-21T02:30:15")" + as + R"("" as "Z07:00")");
  EXPECT_EQ(seconds("2026-13-21T02:30:15Z"), R"(parsing time "2026-13-21T02:30:15Z": month out of range)");
  EXPECT_EQ(seconds("2026-02-30T02:30:15Z"), R"(parsing time "2026-02-30T02:30:15Z": day out of range)");
  EXPECT_EQ(seconds("2026-02-03T02:30:15Zx"), R"(parsing time "2026-02-03T02:30:15Zx": extra text: "x")");
}

TEST(Duration, WritesAsGoDoes) {
  EXPECT_EQ(format_duration({0}), "0s");
  EXPECT_EQ(format_duration({1'500}), "1.5µs");
  EXPECT_EQ(format_duration({-2'000'000}), "-2ms");
  EXPECT_EQ(format_duration(loadline::Duration::seconds(90)), "1m30s");
  EXPECT_EQ(format_duration(loadline::Duration::seconds(3600)), "1h0m0s");
  EXPECT_EQ(format_duration({1'500'000'000}), "1.5s");
}

}  // namespace
}  // namespace loadline::schema
