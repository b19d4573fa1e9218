#include "server/apiserver/http/percent_encoding.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "server/apiserver/http/request_info.h"

namespace loadline::apiserver {
namespace {

TEST(PercentEncoding, IsDecodedOrBroken) {
  for (const auto& [text, decoded] : {std::pair{"", ""}, {"a+b", "a+b"}, {"a%2Fb%2f", "a/b/"}, {"%25", "%"}}) {
    EXPECT_EQ(percent_decoded(text), decoded) << text;
  }
  for (const char* text : {"%", "a%2", "%2g", "%%41"}) EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
}

TEST(Query, IsReadFromText) {
  const Query query = Query::parse("a=1+2&b=%2B&c=%zz+&d&a=3");
  EXPECT_EQ(query.get("a"), "1 2");
  EXPECT_EQ(query.get("b"), "+");
  EXPECT_EQ(query.get("c"), "%zz+");
  EXPECT_TRUE(query.has("d"));
  EXPECT_EQ(query.all("a").size(), 2U);
}

TEST(Query, OfValuesHasThoseThatAreNotEmpty) {
  const Query query = Query::of({{"labelSelector", "a in (b),c=d"}, {"limit", ""}});
  EXPECT_EQ(query.get("labelSelector"), "a in (b),c=d");
  EXPECT_FALSE(query.has("limit"));
}

}  // namespace
}  // namespace loadline::apiserver
