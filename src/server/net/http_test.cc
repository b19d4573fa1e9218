#include "server/net/http.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/net/http_date.h"

namespace loadline::net {
namespace {

TEST(Headers, AreFoundWithoutRegardToCase) {
  const Headers headers{{"Accept", "a"}, {"accept", "b"}, {"Connection", "keep-alive, Upgrade"}};
  ASSERT_NE(headers.find("ACCEPT"), nullptr);
  EXPECT_EQ(*headers.find("ACCEPT"), "a");
  EXPECT_EQ(headers.find("Accep"), nullptr);
  EXPECT_EQ(headers.all("Accept"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_FALSE(headers.has_token("connection", "keep"));
}

TEST(Http, HasPhrasesForItsStatuses) {
  EXPECT_EQ(reason_phrase(100), "Continue");
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(505), "HTTP Version Not Supported");
  EXPECT_EQ(reason_phrase(599), "Unknown");
}

TEST(Http, WritesDatesInItsOwnWay) {
  EXPECT_EQ(format_http_date(Instant{784'111'777'000'000'000}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(Instant{951'782'400'000'000'000}), "Tue, 29 Feb 2000 00:00:00 GMT");
}

}  // namespace
}  // namespace loadline::net
