#include "foundation/document/value.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

Value pod() {
  return Value(
      Object{{"kind", Value("Pod"), {}}, {"spec", Value(Object{{"priority", Value(std::int64_t{5}), {}}}), {}}});
}

TEST(ValueTest, ANumberKeepsWhetherItWasAnInteger) {
  EXPECT_NE(Value(std::int64_t{1}), Value(1.0));
  EXPECT_EQ(Value(std::int64_t{1}).number(), 1.0);
  EXPECT_TRUE(Value(1.0).is_float());
  EXPECT_TRUE(Value(std::int64_t{1}).is_number());
}

TEST(ValueTest, EqualityIgnoresMarksAndComparesMembersInOrder) {
  EXPECT_EQ(Value("a", Mark{1, 2}), Value("a", Mark{3, 4}));
  EXPECT_EQ(pod(), pod());
  const Value ab(Object{{"a", Value(true), {}}, {"b", Value(false), {}}});
  const Value ba(Object{{"b", Value(false), {}}, {"a", Value(true), {}}});
  EXPECT_NE(ab, ba);
  EXPECT_NE(Value(Array{}), Value(Object{}));
  EXPECT_NE(Value(), Value(false));
}

TEST(ValueTest, FindSeesOnlyMembersOfObjects) {
  const Value value = pod();
  ASSERT_NE(value.find("kind"), nullptr);
  EXPECT_EQ(value.find("kind")->string(), "Pod");
  EXPECT_EQ(value.find("Kind"), nullptr);
  EXPECT_EQ(Value("kind").find("kind"), nullptr);
}

TEST(ValueTest, WithReplacesInPlaceOrAppendsAndLeavesTheOriginalAlone) {
  const Value before = pod();
  const Value replaced = before.with("kind", Value("Job"));
  EXPECT_EQ(replaced.object().front().key, "kind");
  EXPECT_EQ(replaced.find("kind")->string(), "Job");
  EXPECT_EQ(before, pod());
  const Value appended = before.with("status", Value(Object{}));
  EXPECT_EQ(appended.object().back().key, "status");
  EXPECT_EQ(Value().with("a", Value(true)), Value(Object{{"a", Value(true), {}}}));
}

TEST(ValueTest, AChangeSharesWhatItDoesNotTouch) {
  const Value before = pod();
  const Value after = before.with("kind", Value("Job"));
  EXPECT_EQ(&before.find("spec")->object(), &after.find("spec")->object());
}

TEST(ValueTest, WithoutRemovesOneMember) {
  EXPECT_EQ(pod().without("spec"), Value(Object{{"kind", Value("Pod"), {}}}));
  EXPECT_EQ(pod().without("absent"), pod());
}

TEST(ValueTest, TypeNamesAreThoseOfGosDecoder) {
  EXPECT_EQ(Value().type_name(), "null");
  EXPECT_EQ(Value(true).type_name(), "bool");
  EXPECT_EQ(Value(std::int64_t{1}).type_name(), "number");
  EXPECT_EQ(Value(1.5).type_name(), "number");
  EXPECT_EQ(Value("").type_name(), "string");
  EXPECT_EQ(Value(Array{}).type_name(), "array");
  EXPECT_EQ(Value(Object{}).type_name(), "object");
}

TEST(ValueTest, WhatNoOtherValueSharesIsChangedInPlace) {
  Value value = pod();
  const Member* first = value.object().data();
  value = std::move(value).with("kind", Value("Job"));
  EXPECT_EQ(value.object().data(), first);
  EXPECT_EQ(value.find("kind")->string(), "Job");
  value = std::move(value).without("spec");
  EXPECT_EQ(value, Value(Object{{"kind", Value("Job"), {}}}));
}

TEST(ValueTest, WhatAnotherValueHoldsIsCopiedFirst) {
  Value value = pod();
  const Value held = value;
  const Value held_spec = *value.find("spec");
  value = std::move(value).with("kind", Value("Job")).without("absent");
  value = std::move(value).with_changed(
      "spec", [](Value spec) { return std::move(spec).with("priority", Value(std::int64_t{6})); });
  EXPECT_EQ(held, pod());
  EXPECT_EQ(held_spec, *pod().find("spec"));
  EXPECT_EQ(value.find("spec")->find("priority")->integer(), 6);
  value = std::move(value).without("spec");
  EXPECT_EQ(held, pod());
}

TEST(ValueTest, AChangeSeesNullWhereThereIsNothing) {
  const Value made = Value().with_changed("a", [](const Value& absent) {
    EXPECT_TRUE(absent.is_null());
    return Value(true);
  });
  EXPECT_EQ(made, Value(Object{{"a", Value(true), {}}}));
}

TEST(ValueTest, AMovedValueIsNull) {
  Value from = pod();
  const Value to = std::move(from);
  EXPECT_TRUE(from.is_null());  // NOLINT: that is what is tested
  EXPECT_EQ(to, pod());
}

TEST(ValueTest, AnUnreadObjectIsReadWhenItIsLookedAt) {
  const Value unread = Value::unread(R"({"kind":"Pod","spec":{"priority":5}})");
  EXPECT_TRUE(unread.is_object());
  ASSERT_NE(unread.unread_text(), nullptr);
  EXPECT_EQ(unread, Value::unread(*unread.unread_text()));
  EXPECT_EQ(unread, pod());
  EXPECT_EQ(unread.find("spec")->find("priority")->integer(), 5);
  EXPECT_EQ(pod().unread_text(), nullptr);
  EXPECT_EQ(Value("{}").unread_text(), nullptr);

  const Value changed = Value(unread).with("kind", Value("Job"));
  EXPECT_EQ(changed.unread_text(), nullptr);
  EXPECT_EQ(changed, pod().with("kind", Value("Job")));
  EXPECT_EQ(unread, pod());
}

TEST(ValueTest, AnUnreadObjectIsWrittenAsItIs) {
  const std::string text = R"({"f:spec":{"k:{\"name\":\"a\"}":{".":{}}}})";
  const Value owner(Array{Value::unread(text)});
  EXPECT_EQ(write_json(owner), "[" + text + "]");
  EXPECT_EQ(write_json(Value(owner.array().front().object())), text);
}

}  // namespace
}  // namespace loadline::document
