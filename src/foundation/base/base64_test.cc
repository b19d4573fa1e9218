#include "foundation/base/base64.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Base64, WritesWhatItReads) {
  for (const auto& [bytes, text] :
       {std::pair{"", ""}, {"a", "YQ=="}, {"ab", "YWI="}, {"abc", "YWJj"}, {"abcd", "YWJjZA=="}}) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(decode_base64(encode_base64(all)), all);
}

// The numbers are those of Go's base64.CorruptInputError.
TEST(Base64, SaysWhereItGaveUp) {
  for (const auto& [text, at] : {std::pair{"a*", 1U}, {"YWJjY", 4U}, {"YWJjYQ=", 7U}, {"=", 0U}, {"YQ==YQ==", 4U}}) {
    EXPECT_FALSE(decode_base64(text).has_value()) << text;
    EXPECT_EQ(base64_fault(text), at) << text;
  }
}

TEST(Base64, OfUrlsHasAnotherAlphabetAndNoPadding) {
  EXPECT_EQ(encode_base64url("\xFB\xFF\xFE"), "-__-");
  for (const auto& [bytes, text] : {std::pair{"", ""}, {"a", "YQ"}, {"ab", "YWI"}, {"abc", "YWJj"}, {"?>", "Pz4"}}) {
    EXPECT_EQ(encode_base64url(bytes), text);
    EXPECT_EQ(decode_base64url(text), bytes);
  }
  for (const char* text : {"+__-", "-//-", "YQ==", "YQ\n", "Y", "YWJjZ", "Y.Q"}) {
    EXPECT_EQ(decode_base64url(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace loadline
