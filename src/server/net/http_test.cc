#include "server/net/http.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace
}  // namespace loadline::net
