#include "brain/workloads/names.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace loadline::workloads {
namespace {

TEST(Names, LookLikeGeneratedNamesAndNeverComeTwice) {
  const Names names(7, "ReplicaSet default/web");
  const std::regex shape("web-[bcdfghjklmnpqrstvwxz2456789]{5}");
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::string name = names.generate("web-", i);
    EXPECT_TRUE(std::regex_match(name, shape)) << name;
    EXPECT_TRUE(seen.insert(name).second) << name;
  }
}

TEST(Names, DependOnSeedAndOwnerOnly) {
  EXPECT_EQ(Names(7, "a").generate("x-", 3), Names(7, "a").generate("x-", 3));
  EXPECT_NE(Names(7, "a").generate("x-", 3), Names(8, "a").generate("x-", 3));
  EXPECT_NE(Names(7, "a").generate("x-", 3), Names(7, "b").generate("x-", 3));
}

TEST(Names, CutTheBaseSoThatFiveCharactersFit) {
  const std::string base(70, 'a');
  EXPECT_EQ(Names(1, "a").generate(base, 0).size(), 63U);
}

TEST(Names, MakeUidsOfVersionFour) {
  const std::regex shape("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  EXPECT_TRUE(std::regex_match(Names(1, "a").uid(), shape)) << Names(1, "a").uid();
}

TEST(Names, SpellHashesInTheSafeAlphabet) {
  // Digits '0'..'9' are 48..57; modulo 27 they land on letters 21..26 and 0..3.
  EXPECT_EQ(spell_hash(123456789),
            "5678"
            "9bcdf");
}

}  // namespace
}  // namespace loadline::workloads
