#include "server/api/apply/field_set_memo.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

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

/// The text of a set of so many fields, whose names begin with `prefix`.
std::string text_of_fields(int count, const std::string& prefix) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format(R"({}"f:{}{}":{{}})", i == 0 ? "" : ",", prefix, i);
  return "{" + text + "}";
}

// Of every kind 128 sets were kept, of megabytes of text each, when the objects were long gone.
TEST(FieldSetMemo, KeepsLittleAndNothingThatIsLong) {
  FieldSetMemo memo;
  ASSERT_TRUE(read(memo, text_of_fields(20'000, "long")));
  EXPECT_EQ(memo.text_bytes(), 0U);
  for (int i = 0; i < 100; ++i) {
    const std::string text = text_of_fields(1'000, fmt::format("of{}n", i));
    const auto first = read(memo, text);
    ASSERT_TRUE(first);
    EXPECT_TRUE(read(memo, text)->is_shared_with(*first));
    EXPECT_LE(memo.text_bytes(), FieldSetMemo::kMostBytes);
  }
}

}  // namespace
}  // namespace loadline::api
