#include "objects/kube/string_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(StringMap, IsOrderedByName) {
  StringMap map{{"b", "2"}, {"a", "1"}};
  map["c"] = "3";
  EXPECT_THAT(map, ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3")));
  EXPECT_EQ(map.size(), 3U);
  EXPECT_EQ(map.at("b"), "2");
  EXPECT_THROW(static_cast<void>(map.at("z")), std::out_of_range);
  EXPECT_EQ(map.find("z"), map.end());
  EXPECT_EQ(map.lower_bound("aa")->first, "b");
}

TEST(StringMap, IsEmptyAtFirstAndOnceCleared) {
  StringMap map;
  EXPECT_THAT(map, IsEmpty());
  EXPECT_EQ(map.begin(), map.end());
  EXPECT_EQ(map, StringMap(StringMap::Members{}));
  map["a"] = "1";
  map.clear();
  EXPECT_TRUE(map.empty());
  map["a"] = "1";
  EXPECT_EQ(map.erase("a"), 1U);
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map, StringMap());
}

TEST(StringMap, CopiesShareUntilOneChanges) {
  const StringMap original{{"a", "1"}, {"b", "2"}};
  StringMap copy = original;
  EXPECT_EQ(&copy.members(), &original.members());
  EXPECT_EQ(copy.erase("z"), 0U);  // nothing changes
  EXPECT_EQ(&copy.members(), &original.members());

  const auto expect_own = [&](const char* what, auto change) {
    StringMap changed = original;
    change(changed);
    EXPECT_NE(&changed.members(), &original.members()) << what;
    EXPECT_NE(changed, original) << what;
    EXPECT_THAT(original, ElementsAre(Pair("a", "1"), Pair("b", "2"))) << what;
  };
  expect_own("operator[]", [](StringMap& map) { map["a"] = "9"; });
  expect_own("emplace", [](StringMap& map) { map.emplace("c", "3"); });
  expect_own("try_emplace", [](StringMap& map) { map.try_emplace("c", "3"); });
  expect_own("insert_or_assign", [](StringMap& map) { map.insert_or_assign("a", "9"); });
  expect_own("insert", [](StringMap& map) { map.insert({"c", "3"}); });
  expect_own("erase", [](StringMap& map) { map.erase("a"); });
  expect_own("clear", [](StringMap& map) { map.clear(); });
  expect_own("insert of several", [](StringMap& map) {
    const StringMap more{{"c", "3"}, {"d", "4"}};
    map.insert(more.begin(), more.end());
  });
}

TEST(StringMap, WhatNobodySharesIsChangedInPlace) {
  StringMap map{{"a", "1"}};
  const StringMap::Members* members = &map.members();
  map["b"] = "2";
  EXPECT_EQ(&map.members(), members);
}

TEST(StringMap, ComparesAsItsMembersDo) {
  const StringMap small{{"a", "1"}};
  const StringMap large{{"a", "2"}};
  EXPECT_EQ(small, (StringMap{{"a", "1"}}));
  EXPECT_LT(small, large);
  EXPECT_LT(StringMap(), small);
}

}  // namespace
}  // namespace loadline::kube
