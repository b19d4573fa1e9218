#include "foundation/document/visible_text.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/utf8.h"

namespace loadline::document {
namespace {

TEST(VisibleText, TextsOfAllScriptsStay) {
  const std::string text = "Pod default/a: größer, 機械, עברית, 🚀\nnext line \\u001b";
  EXPECT_EQ(visible(text), text);
  EXPECT_EQ(visible_prefix(text), text.size());
}

TEST(VisibleText, WhatATerminalActsOnIsTold) {
  EXPECT_EQ(visible("a\x1b[2J\x1b]0;pwn\a"), "a\\u001b[2J\\u001b]0;pwn\\u0007");
  EXPECT_EQ(visible("tab\there\rback\x7f"), "tab\\u0009here\\u000dback\\u007f");
  EXPECT_EQ(visible("csi \xc2\x9b"
                    "31m"),
            "csi \\u009b31m")
      << "C1 begins sequences, too";
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "evil\xe2\x81\xa9"),
            "\\u202eevil\\u2069");
  EXPECT_EQ(visible(std::string_view("nul\0!", 5)), "nul\\u0000!");
}

TEST(VisibleText, BytesThatAreNoTextAreTold) {
  EXPECT_EQ(visible("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(visible("lone \x9b"
                    "31m"),
            "lone \\x9b31m")
      << "a terminal of eight bits takes it for C1";
  EXPECT_EQ(visible("cut \xe2\x80"), "cut \\xe2\\x80");
}

/// Whatever comes in, nothing comes out that is not visible, and doing it again changes nothing.
TEST(VisibleText, EveryCodePointAndEveryByte) {
  for (std::uint32_t code_point = 0; code_point < 0x3000; ++code_point) {
    std::string text = "x";
    append_utf8(text, code_point);
    const std::string shown = visible(text);
    EXPECT_EQ(visible_prefix(shown), shown.size()) << code_point;
    EXPECT_EQ(visible(shown), shown) << code_point;
  }
  for (int byte = 0; byte < 256; ++byte) {
    const std::string shown = visible(std::string(1, static_cast<char>(byte)));
    EXPECT_EQ(visible_prefix(shown), shown.size()) << byte;
  }
}

}  // namespace
}  // namespace loadline::document
