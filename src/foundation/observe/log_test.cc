#include "foundation/observe/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace loadline::observe {
namespace {

class LogTest : public testing::Test {
 protected:
  Log make(LogOptions options) {
    return {options, [this](std::string_view line) { written_ += line; }, [this] { return now_; }};
  }

  Instant now_ = Instant{parse_rfc3339("2026-11-22T04:08:15Z")->nanoseconds + 123'456'789};
  std::string written_;
};

TEST_F(LogTest, WritesAsKlogDoes) {
  Log log = make({});
  log.write(LogLevel::kWarning, "apiserver", "Request failed", {{"verb", "PUT"}, {"path", "/a\"b\\\n\x1b"}});
  log.write(LogLevel::kError, "scheduler", "No way");
  log.write(LogLevel::kInfo, "scheduler", "Not wanted");
  EXPECT_EQ(written_,
            "W1122 04:08:15.123456 apiserver] \"Request failed\" verb=\"PUT\" path=\"/a\\\"b\\\\\\n\\u001b\"\n"
            "E1122 04:08:15.123456 scheduler] \"No way\"\n");
}

TEST_F(LogTest, WritesJson) {
  Log log = make({.level = LogLevel::kDebug, .format = LogFormat::kJson});
  log.write(LogLevel::kDebug, "apiserver", "Request", {{"path", "/a\"b"}});
  EXPECT_EQ(written_,
            "{\"ts\":1795320495.123456,\"level\":\"debug\",\"component\":\"apiserver\",\"msg\":\"Request\","
            "\"path\":\"/a\\\"b\"}\n");
}

TEST_F(LogTest, SaysTheSameThingAFewTimesAndThenHowOftenItDidNot) {
  Log log = make({.burst = 2});
  for (int i = 0; i < 100; ++i) log.write(LogLevel::kWarning, "a", "again");
  log.write(LogLevel::kWarning, "b", "again");
  EXPECT_EQ(std::count(written_.begin(), written_.end(), '\n'), 3);
  written_.clear();
  now_ = now_ + Duration::seconds(11);
  log.write(LogLevel::kWarning, "a", "again");
  EXPECT_EQ(written_, "W1122 04:08:26.123456 a] \"again\" leftOut=\"98\"\n");
  written_.clear();
  now_ = now_ + Duration::seconds(-1'000'000);
  log.write(LogLevel::kWarning, "a", "again");
  EXPECT_FALSE(written_.empty()) << "a clock that was set back suppresses no line";
}

TEST(LogOptions, AreReadFromWords) {
  EXPECT_EQ(parse_log_level("warning"), LogLevel::kWarning);
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
  EXPECT_EQ(parse_log_format("json"), LogFormat::kJson);
  EXPECT_EQ(parse_log_format(""), std::nullopt);
}

}  // namespace
}  // namespace loadline::observe
