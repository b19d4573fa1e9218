#include "objects/schema/duration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace loadline::schema {
namespace {

TEST(DurationTest, ReadsWhatGoReads) {
  struct Case {
    const char* text;
    std::int64_t nanoseconds;
  };
  constexpr Case kCases[] = {
      {"0", 0},
      {"-0", 0},
      {"1h30m", 5'400'000'000'000},
      {"-1.5h", -5'400'000'000'000},
      {"+300ms", 300'000'000},
      {".5s", 500'000'000},
      {"1.s", 1'000'000'000},
      {"3µs", 3'000},
      {"3μs", 3'000},
      {"2us5ns", 2'005},
      {"0.3333333333333333333h", 1'200'000'000'000},
      {"9223372036854775807ns", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min()},
  };
  for (const Case& each : kCases) {
    const Result<Duration> read = parse_duration(each.text);
    ASSERT_TRUE(read) << each.text << ": " << read.error().message;
    EXPECT_EQ(read->nanoseconds, each.nanoseconds) << each.text;
  }
}

TEST(DurationTest, RefusesInGosWords) {
  struct Case {
    const char* text;
    const char* problem;
  };
  constexpr Case kCases[] = {
      {"", "time: invalid duration \"\""},
      {"-", "time: invalid duration \"-\""},
      {"soon", "time: invalid duration \"soon\""},
      {".s", "time: invalid duration \".s\""},
      {"15", "time: missing unit in duration \"15\""},
      {"1.2.3s", "time: missing unit in duration \"1.2.3s\""},
      {"15 seconds", "time: unknown unit \" seconds\" in duration \"15 seconds\""},
      {"1d", "time: unknown unit \"d\" in duration \"1d\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
      {"2562048h", "time: invalid duration \"2562048h\""},
      {"9223372036s1s", "time: invalid duration \"9223372036s1s\""},
      {"99999999999999999999h", "time: invalid duration \"99999999999999999999h\""},
  };
  for (const Case& each : kCases) {
    const Result<Duration> read = parse_duration(each.text);
    ASSERT_FALSE(read) << each.text;
    EXPECT_EQ(read.error().message, each.problem);
  }
}

}  // namespace
}  // namespace loadline::schema
