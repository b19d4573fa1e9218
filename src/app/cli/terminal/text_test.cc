#include "app/cli/terminal/text.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("pod"), 3U);
  EXPECT_EQ(display_width("▇▇▁"), 3U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("\xFF\xC3"), 2U);   // not UTF-8
}

TEST(PrefixOfWidth, NeverCutsACodePoint) {
  EXPECT_EQ(prefix_of_width("▇▇▁", 2), "▇▇");
  EXPECT_EQ(prefix_of_width("日本", 3), "日");
  EXPECT_EQ(prefix_of_width("pod", 10), "pod");
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_EQ(wrap("0/3 nodes are available: 3 Insufficient cpu.", 16),
            (std::vector<std::string>{"0/3 nodes are", "available: 3", "Insufficient", "cpu."}));
}

TEST(Wrap, BreaksAWordThatIsLongerThanALine) {
  EXPECT_EQ(wrap("a abcdefgh b", 3), (std::vector<std::string>{"a", "abc", "def", "gh", "b"}));
}

TEST(Wrap, OfNothingIsOneEmptyLine) { EXPECT_EQ(wrap("", 10), std::vector<std::string>{""}); }

TEST(Printable, TellsControlCharactersByTheirNumbers) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\td\x7f"), "a\\u001b[31mb c d\\u007f");
  EXPECT_TRUE(is_printable("größer"));
  EXPECT_FALSE(is_printable("two\nlines"));
}

}  // namespace
}  // namespace loadline::cli
