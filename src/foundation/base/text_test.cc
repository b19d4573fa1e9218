#include "foundation/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loadline {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, SplitsAtEverySeparator) {
  EXPECT_EQ(split("a,,b", ","), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("a__b_c__", "__"), (Parts{"a", "b_c", ""}));
  EXPECT_EQ(split("", ","), (Parts{""}));
}

TEST(Text, FindsTheWordsBetweenSeparators) {
  EXPECT_EQ(words("  a\tb \n"), (Parts{"a", "b"}));
  EXPECT_EQ(words(",a,,b c", ","), (Parts{"a", "b c"}));
  EXPECT_EQ(words(" "), Parts{});
}

TEST(Text, TrimsBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \v\f"), "");
}

TEST(Text, JoinsEmptyPartsToo) {
  EXPECT_EQ(joined(std::vector<std::string>{"", "a", "b"}, "; "), "; a; b");
  EXPECT_EQ(joined(Parts{}, ", "), "");
}

}  // namespace
}  // namespace loadline
