#include "foundation/document/utf8.h"

#include <gtest/gtest.h>

namespace loadline::document {
namespace {

TEST(Utf8Test, WellFormedTextIsTakenWhole) {
  for (const char* text : {"", "more than eight bytes", "é", "日本語", "😀", "a😀b", "\xEF\xBF\xBF"}) {
    EXPECT_EQ(valid_utf8_prefix(text), std::string_view(text).size()) << text;
    EXPECT_EQ(to_valid_utf8(text), text);
  }
}

TEST(Utf8Test, OverlongSurrogateTruncatedAndStrayBytesEndIt) {
  for (const char* bytes : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xF5", "\xE2\x82", "\xC3"}) {
    EXPECT_EQ(valid_utf8_prefix(std::string("12345678ab") + bytes), 10U) << bytes;
  }
}

TEST(Utf8Test, EachBadByteIsReplaced) {
  EXPECT_EQ(to_valid_utf8("a\xE2\x82"
                          "b"),
            "a\uFFFD\uFFFDb");
  EXPECT_EQ(to_valid_utf8("\xff"), "\uFFFD");
}

TEST(Utf8Test, TheCodePointAtAnOffsetIsCutOut) {
  EXPECT_EQ(code_point_at("aéb", 1), "é");
  EXPECT_EQ(code_point_at("a\xff", 1), "\xff");
}

}  // namespace
}  // namespace loadline::document
