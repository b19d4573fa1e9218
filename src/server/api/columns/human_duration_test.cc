#include "server/api/columns/human_duration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace loadline::api {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kYear = 365 * kDay;

struct DurationCase {
  std::int64_t nanoseconds;
  std::string text;
};

TEST(HumanDuration, KeepsTwoOrThreeFigures) {
  const std::vector<DurationCase> cases = {
      {0, "0s"},
      {kSecond - 1, "0s"},
      {kSecond, "1s"},
      {2 * kMinute - 1, "119s"},
      {2 * kMinute, "2m"},
      {2 * kMinute + kSecond, "2m1s"},
      {10 * kMinute - 1, "9m59s"},
      {10 * kMinute, "10m"},
      {10 * kMinute + 30 * kSecond, "10m"},
      {3 * kHour - 1, "179m"},
      {3 * kHour, "3h"},
      {3 * kHour + kMinute, "3h1m"},
      {8 * kHour - 1, "7h59m"},
      {8 * kHour, "8h"},
      {8 * kHour + 59 * kMinute, "8h"},
      {2 * kDay - 1, "47h"},
      {2 * kDay, "2d"},
      {2 * kDay + kHour, "2d1h"},
      {8 * kDay - 1, "7d23h"},
      {8 * kDay, "8d"},
      {8 * kDay + 23 * kHour, "8d"},
      {2 * kYear - 1, "729d"},
      {2 * kYear, "2y"},
      {2 * kYear + kDay, "2y1d"},
      {8 * kYear - 1, "7y364d"},
      {8 * kYear, "8y"},
      {8 * kYear + 364 * kDay, "8y"},
  };
  for (const DurationCase& one : cases) EXPECT_EQ(human_duration({one.nanoseconds}), one.text) << one.nanoseconds;
}

TEST(HumanDuration, TakesANearFutureForNow) {
  EXPECT_EQ(human_duration({-1}), "0s");
  EXPECT_EQ(human_duration({-2 * kSecond + 1}), "0s");
  EXPECT_EQ(human_duration({-2 * kSecond}), "<invalid>");
  EXPECT_EQ(human_duration({-kYear}), "<invalid>");
}

}  // namespace
}  // namespace loadline::api
