#include "foundation/document/at.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

Value json(std::string_view text) { return read_json(text, "test").documents.front(); }

TEST(At, FindsChangesAndRemoves) {
  const Value value = json(R"({"a":{"b":1},"c":"x"})");
  EXPECT_EQ(find_at(value, {"a", "b"})->integer(), 1);
  EXPECT_EQ(find_at(value, {"a", "x"}), nullptr);
  EXPECT_EQ(text_at(value, {"c"}), "x");
  EXPECT_EQ(text_at(value, {"a"}), "");
  EXPECT_EQ(items_at(json(R"({"a":{"b":[1,2]}})"), {"a", "b"}).size(), 2U);
  EXPECT_TRUE(items_at(value, {"a"}).empty());
  EXPECT_EQ(write_json(with_at(value, {"a", "d", "e"}, Value(true))), R"({"a":{"b":1,"d":{"e":true}},"c":"x"})");
  EXPECT_EQ(write_json(without_at(value, {"a", "b"})), R"({"a":{},"c":"x"})");
  EXPECT_EQ(write_json(without_at(value, {"n", "b"})), R"({"a":{"b":1},"c":"x"})");
}

}  // namespace
}  // namespace loadline::document
