#include "foundation/base/symbol.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(SymbolTable, EqualTextsShareASymbolAndDifferentTextsDoNot) {
  SymbolTable table;
  const Symbol zone = table.intern("zone");
  EXPECT_EQ(table.intern("zone"), zone);
  EXPECT_NE(table.intern("rack"), zone);
  EXPECT_EQ(table.text(zone), "zone");
}

TEST(SymbolTable, TheEmptyStringIsSymbolZero) {
  SymbolTable table;
  EXPECT_EQ(table.intern("").index(), 0u);
}

TEST(SymbolTable, FindNeverInterns) {
  SymbolTable table;
  EXPECT_FALSE(table.find("absent").valid());
  EXPECT_EQ(table.size(), 1u);
}

TEST(SymbolTable, TextsSurviveGrowth) {
  SymbolTable table;
  const Symbol first = table.intern("a");
  for (int i = 0; i < 10000; ++i) table.intern(std::to_string(i));
  EXPECT_EQ(table.text(first), "a");
  EXPECT_EQ(table.find("9999").index(), 10001u);
}

}  // namespace
}  // namespace loadline
