#include "foundation/document/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

TEST(Utf8Test, CodePointsAreReadAndWritten) {
  for (const auto& [text, value] : {std::pair<std::string_view, std::uint32_t>{"a", 0x61},
                                    {"\x7F", 0x7F},
                                    {"\xC2\x80", 0x80},
                                    {"é", 0xE9},
                                    {"\xDF\xBF", 0x7FF},
                                    {"\xE0\xA0\x80", 0x800},
                                    {"日", 0x65E5},
                                    {"\xEF\xBF\xBF", 0xFFFF},
                                    {"😀", 0x1F600},
                                    {"\xF4\x8F\xBF\xBF", 0x10FFFF}}) {
    EXPECT_EQ(code_point_value(text), value);
    std::string written = "x";
    append_utf8(written, value);
    EXPECT_EQ(written, "x" + std::string(text));
  }
  EXPECT_EQ(code_point_value("\xff"), 0xFFU);
}

}  // namespace
}  // namespace loadline::document
