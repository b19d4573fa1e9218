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

TEST(Text, GroupsDigitsByThree) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(1000), "1,000");
  EXPECT_EQ(grouped_digits(1234567), "1,234,567");
}

TEST(Text, CountsWithAPluralUnlessThereIsOne) {
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(2, "pod"), "2 pods");
  EXPECT_EQ(counted(1500, "pod"), "1,500 pods");
}

TEST(Text, NamesSomeAndCountsTheRest) {
  EXPECT_EQ(some_of({}, 2), "");
  EXPECT_EQ(some_of({"a", "b"}, 2), "a, b");
  EXPECT_EQ(some_of({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(some_of({"a", "b", "c"}, 2, "pod"), "a, b and 1 more pod");
  EXPECT_EQ(some_of({"a", "b", "c"}, 1, "pod"), "a and 2 more pods");
}

}  // namespace
}  // namespace loadline
