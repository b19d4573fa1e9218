#include "foundation/base/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <vector>

namespace loadline {
namespace {

TEST(Rfc3339, ReadsFractionsAndOffsets) {
  struct Case {
    std::string_view text;
    std::int64_t nanoseconds;
  };
  const std::vector<Case> cases = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:01Z", 1'000'000'000},
      {"1969-12-31T23:59:59Z", -1'000'000'000},
      {"2026-01-01T00:00:00Z", 1'767'225'600'000'000'000},
      {"2024-02-29T12:30:45Z", 1'709'209'845'000'000'000},
      {"1970-01-01T00:00:00.5Z", 500'000'000},
      {"1970-01-01T00:00:00.123456789Z", 123'456'789},
      {"1970-01-01T00:00:00.1234567899Z", 123'456'789},  // below a nanosecond is dropped
      {"1970-01-01T02:00:00+02:00", 0},
      {"1969-12-31T18:30:00-05:30", 0},
  };
  for (const Case& c : cases) {
    const auto instant = parse_rfc3339(c.text);
    ASSERT_TRUE(instant.has_value()) << c.text;
    EXPECT_EQ(instant->nanoseconds, c.nanoseconds) << c.text;
  }
}

TEST(Rfc3339, RefusesWhatIsNotATimeStamp) {
  const std::vector<std::string_view> cases = {
      "",
      "2026-01-01",
      "2026-01-01T00:00:00",        // no zone
      "2026-01-01 00:00:00Z",       // no T
      "2026-01-01t00:00:00z",       // lower case
      "2026-13-01T00:00:00Z",       // month
      "2026-02-29T00:00:00Z",       // no leap year
      "2026-00-10T00:00:00Z",       // month from 1
      "2026-01-01T24:00:00Z",       // hour
      "2026-01-01T00:60:00Z",       // minute
      "2026-01-01T00:00:60Z",       // leap seconds are not read
      "2026-01-01T00:00:00.Z",      // empty fraction
      "2026-01-01T00:00:00+0200",   // offset without colon
      "2026-01-01T00:00:00+24:00",  // offset out of range
      "2026-01-01T00:00:00Z ",      // something after it
      "26-01-01T00:00:00Z",
  };
  for (const std::string_view text : cases) EXPECT_FALSE(parse_rfc3339(text).has_value()) << text;
}

TEST(Rfc3339, TakesInstantsBeyondTheRangeAsItsEnds) {
  EXPECT_EQ(parse_rfc3339("0001-01-01T00:00:00Z")->nanoseconds, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_rfc3339("9999-12-31T23:59:59Z")->nanoseconds, std::numeric_limits<std::int64_t>::max());
}

TEST(Rfc3339, WritesWholeSecondsInUtc) {
  EXPECT_EQ(format_rfc3339({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339({999'999'999}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339({-1}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_rfc3339({std::numeric_limits<std::int64_t>::max()}), "2262-04-11T23:47:16Z");
  EXPECT_EQ(format_rfc3339({std::numeric_limits<std::int64_t>::min()}), "1677-09-21T00:12:43Z");
}

TEST(Rfc3339, WhatIsWrittenReadsBackEqual) {
  for (const std::string_view text : {"2026-07-14T09:08:07Z", "2000-02-29T23:59:59Z", "1969-07-20T20:17:40Z"}) {
    EXPECT_EQ(format_rfc3339(*parse_rfc3339(text)), text);
  }
}

TEST(Rfc1123, NamesDayAndMonth) {
  EXPECT_EQ(format_rfc1123({784'111'777'000'000'000}), "Sun, 06 Nov 1994 08:49:37");
  EXPECT_EQ(format_rfc1123({951'782'400'999'999'999}), "Tue, 29 Feb 2000 00:00:00");
  EXPECT_EQ(format_rfc1123({-1}), "Wed, 31 Dec 1969 23:59:59");
}

TEST(Instant, AddsAndSubtractsDurations) {
  const Instant start{5};
  EXPECT_EQ((start + Duration::seconds(2)).nanoseconds, 2'000'000'005);
  EXPECT_EQ((start + Duration::seconds(2)) - start, Duration::seconds(2));
  EXPECT_LT(start, start + Duration{1});
}

}  // namespace
}  // namespace loadline
