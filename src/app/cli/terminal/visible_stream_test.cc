#include "app/cli/terminal/visible_stream.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace loadline::cli {
namespace {

TEST(VisibleStream, WhatIsWrittenComesOutVisible) {
  std::ostringstream below;
  {
    VisibleStream out(below);
    out << "name \x1b[2J of " << 7 << '\x07' << '\n';
    out.put('\x7f');
  }
  EXPECT_EQ(below.str(), "name \\u001b[2J of 7\\u0007\n\\u007f");
}

TEST(VisibleStream, ACodePointMayComeInPieces) {
  std::ostringstream below;
  VisibleStream out(below);
  const std::string text = "é 機 🚀 \xe2\x80\xae \xc2\x9b";
  for (const char letter : text) out.put(letter);
  out.flush();
  EXPECT_EQ(below.str(), "é 機 🚀 \\u202e \\u009b");
}

TEST(VisibleStream, WhatNeverBecomesACodePointIsToldInTheEnd) {
  std::ostringstream below;
  VisibleStream out(below);
  out << "cut \xe2\x80";
  EXPECT_EQ(below.str(), "cut ");
  out << std::flush;
  EXPECT_EQ(below.str(), "cut \\xe2\\x80");
}

TEST(VisibleStream, ColoursOfOursPass) {
  std::ostringstream below;
  VisibleStream out(below);
  write_as_it_is(out, "\x1b[31m");
  out << "\x1b[31m";
  write_as_it_is(out, "\x1b[0m");
  EXPECT_EQ(below.str(), "\x1b[31m\\u001b[31m\x1b[0m");
}

TEST(VisibleStream, AFullDiskIsToldToBoth) {
  std::ostringstream below;
  below.setstate(std::ios::badbit);
  VisibleStream out(below);
  EXPECT_FALSE(out);
}

}  // namespace
}  // namespace loadline::cli
