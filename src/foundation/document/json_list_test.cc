#include "foundation/document/json_list.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/testing/reading.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

constexpr std::string_view kPodsText = R"({
    "apiVersion": "v1",
    "metadata": {"items": [1], "text": "\"]},[{é"},
    "items": [
        {
            "kind": "Pod", "n": -1.5e3,
            "é": ["}", "]\\", "\\\"{", {"a": {}}, [], null, true]
        },
        {"name": "two"} , {}
    ],
    "kind": "List"
}
)";

/// The items of a good list.
std::optional<std::vector<Value>> items_of(std::string_view text) {
  JsonList list(text);
  std::vector<Value> items;
  while (std::optional<Value> item = list.next()) items.push_back(*std::move(item));
  EXPECT_FALSE(list.next().has_value()) << "the end is the end";
  if (!list.is_good()) return std::nullopt;
  return items;
}

/// A document with the places of all that is in it.
std::string with_marks(const Value& value) {
  std::string text = position(value.mark()) + " ";
  if (value.is_array()) {
    for (const Value& element : value.array()) text += with_marks(element);
    return text + "] ";
  }
  if (!value.is_object()) return text + write_json(value) + " ";
  for (const Member& member : value.object()) {
    text += position(member.mark) + " " + member.key + ": " + with_marks(member.value);
  }
  return text + "} ";
}

std::string with_marks(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += with_marks(value) + "\n";
  return text;
}

/// If the list reader takes the text, which is returned, then what read() finds in it is one document with the same
/// items.
bool takes_and_agrees(std::string_view text) {
  const std::optional<std::vector<Value>> items = items_of(text);
  if (!items) return false;
  const Reading whole = read(text, "f");
  EXPECT_EQ(problems(whole), "") << text;
  if (whole.documents.size() != 1) ADD_FAILURE() << whole.documents.size() << " documents in " << text;
  if (whole.documents.empty()) return true;
  EXPECT_EQ(with_marks(*items), with_marks(whole.documents[0].find("items")->array())) << text;
  return true;
}

TEST(JsonListTest, ItemsAreThoseOfTheWholeDocument) {
  const std::string texts[] = {
      std::string(kPodsText),
      "\xEF\xBB\xBF \n" + std::string(kPodsText),
      R"({"items":[{"a":1},{"b":[2]}]})",
      R"({"items":[]})",
      R"( { "kind" : "List" , "items" : [ ] , "x" : null } )",
      R"({"items":[{"last item": "at the very end of the text"}]})",
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    ASSERT_TRUE(items_of(text).has_value());
    EXPECT_TRUE(takes_and_agrees(text)) << text;
  }
}

TEST(JsonListTest, TellsWhatStandsAroundTheItems) {
  JsonList list(kPodsText);
  EXPECT_EQ(write_json(*list.head().find("apiVersion")), R"("v1")");
  EXPECT_EQ(list.head().find("kind"), nullptr) << "it comes behind the items";
  EXPECT_TRUE(list.around().is_null());
  while (list.next()) continue;
  EXPECT_EQ(list.around().find("kind")->string(), "List");
}

TEST(JsonListTest, OtherTextsAreNotGood) {
  const std::string deep = std::string(kMaxDepth - 2, '[') + std::string(kMaxDepth - 2, ']');
  const std::string texts[] = {
      "",
      "[]",
      "{}",
      "items: []",
      R"({"kind": "List"})",
      R"({"items": null})",
      R"({"items": {}})",
      R"({"items": [1]})",
      R"({"items": [null]})",
      R"({"items": [{}, ]})",
      R"({"items": [, {}]})",
      R"({"items": [{} {}]})",
      R"({"items": [{}}})",
      R"({"items": [{]]})",
      R"({"items": [{}],})",
      R"({"items": [{}]} {})",
      R"({"items": [{}]} x)",
      R"({"items": [{"a": 1, "a": 1}]})",
      R"({"items": [{}], "items": []})",
      R"({"items": [{}], "\u0069tems": []})",
      R"({"kind": "List", "items": [{}], "kind": "List"})",
      R"({"kind" "List", "items": [{}]})",
      R"({"items": [{"a": tru}]})",
      R"({"items": [{"a": 01}]})",
      R"({"items": [{"a": "\x"}]})",
      "{\"items\": [{\"a\": \"\xFF\"}]}",
      "{\"a\": \"\xFF\", \"items\": [{}]}",
      R"({"items": [{"a": )" + deep + "}]}",
  };
  for (const std::string& text : texts) EXPECT_FALSE(items_of(text).has_value()) << text;
}

TEST(JsonListTest, ATextThatEndsTooEarlyIsNotGood) {
  const std::string_view whole = kPodsText.substr(0, kPodsText.rfind('}') + 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(items_of(whole.substr(0, size)).has_value()) << size;
  }
}

TEST(JsonListTest, WhateverItTakesReadTakesToo) {
  std::size_t taken = 0;
  for (std::size_t at = 0; at < kPodsText.size(); ++at) {
    for (const char c : std::string_view("{}[]\",:\\ 1\xC3")) {
      std::string text(kPodsText);
      text[at] = c;
      if (takes_and_agrees(text)) ++taken;
    }
    std::string text(kPodsText);
    text.erase(at, 1);
    if (takes_and_agrees(text)) ++taken;
  }
  EXPECT_GT(taken, kPodsText.size());
}

}  // namespace
}  // namespace loadline::document
