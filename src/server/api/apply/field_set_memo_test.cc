#include "server/api/apply/field_set_memo.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace loadline::api {
namespace {

std::optional<FieldSet> read(FieldSetMemo& memo, const std::string& text) {
  return memo.read(document::Value::unread(text), text);
}

TEST(FieldSetMemo, ReadsATextOnce) {
  FieldSetMemo memo;
  const std::string text = R"({"f:spec":{".":{},"f:replicas":{}}})";
  const auto first = read(memo, text);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, FieldSet::of_fields({{"spec"}, {"spec", "replicas"}}));
  const auto second = read(memo, text);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_shared_with(*first));
  EXPECT_EQ(*read(memo, R"({"f:status":{}})"), FieldSet::of_fields({{"status"}}));
}

TEST(FieldSetMemo, WhatCannotBeReadIsSaidEachTime) {
  FieldSetMemo memo;
  EXPECT_FALSE(read(memo, R"({"spec":{}})"));
  EXPECT_FALSE(read(memo, R"({"spec":{}})"));
}

TEST(FieldSetMemo, ForgetsAndReadsAgain) {
  FieldSetMemo memo;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1'000; ++i) {
      const std::string name = fmt::format("field{}", i);
      EXPECT_EQ(*read(memo, fmt::format(R"({{"f:{}":{{}}}})", name)), FieldSet::of_fields({{name}}));
    }
  }
}

}  // namespace
}  // namespace loadline::api
