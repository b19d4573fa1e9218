#include "foundation/document/go_json.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"

namespace loadline::document {
namespace {

Value document(const std::string& json) { return read_json(json, "test.json").documents.at(0); }

TEST(GoJson, IsSafeWithinHtml) {
  EXPECT_EQ(write_go_json(document(R"({"b<": "a & b > c", "a": 1})")), R"({"b\u003c":"a \u0026 b \u003e c","a":1})");
  std::string text = "<before>";
  append_go_json(text, Value("&"));
  EXPECT_EQ(text, R"(<before>"\u0026")");
}

TEST(GoJson, SortsMembersAllTheWayDown) {
  EXPECT_EQ(write_go_json(with_sorted_members(document(R"({"b": [{"d": 1, "c": 2}], "a": {"f": 3, "e": 4}})"))),
            R"({"a":{"e":4,"f":3},"b":[{"c":2,"d":1}]})");
}

}  // namespace
}  // namespace loadline::document
