#include "foundation/document/outline.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

constexpr std::string_view kTexts[] = {
    R"({})",
    R"({"a":1,"b":-2.5,"c":9223372036854775808,"d":1e3,"e":true,"f":false,"g":null})",
    R"({"text":"plain","escaped":"a\"b\\c\n\u2028<é😀","":"","key\"s":{"\\":[]},"\\\"":"\\"})",
    R"({"a":{"b":{"c":[[],{},[1,"x",null]]}},"d":[{"e":"}]\"","f":[{"g":{}}]},{"h":1}],"i":"last"})",
};

TEST(Outline, HoldsWhatTheTextHolds) {
  for (const std::string_view text : kTexts) {
    const std::string written = write_json(read_json(text, {}).documents.front());
    const Value outline = read_outline(written, {}).object;
    EXPECT_EQ(outline, read_json(written, {}).documents.front()) << text;
    EXPECT_EQ(write_json(outline), written);
  }
}

TEST(Outline, KeepsAndLeavesOutByPath) {
  constexpr std::string_view kText =
      R"({"a":{"b":{"c":"}"},"bb":1,"a":2},"c":{"d":[{"x":1,"y":[{}]},{},3],"dd":{"x":4}},"f":{"e":5},"e":[6],"b":7})";
  constexpr std::array<std::string_view, 3> kOut = {"a.b", "c.d.x", "e"};
  EXPECT_EQ(write_json(read_outline(kText, {.left_out = kOut}).object),
            R"({"a":{"bb":1,"a":2},"c":{"d":[{"y":[{}]},{},3],"dd":{"x":4}},"f":{"e":5},"b":7})");
  constexpr std::array<std::string_view, 4> kKept = {"a.b", "c.d.none", "e", "f.x"};
  EXPECT_EQ(write_json(read_outline(kText, {.kept = kKept}).object),
            R"({"a":{"b":{"c":"}"}},"c":{"d":[{},{},3]},"f":{},"e":[6]})");
  constexpr std::array<std::string_view, 1> kTop = {"a"};
  EXPECT_EQ(write_json(read_outline(kText, {.kept = kTop, .left_out = kOut}).object), R"({"a":{"bb":1,"a":2}})");
}

TEST(Outline, CutsOutAMembersText) {
  constexpr std::string_view kText = R"({"kind":"a\"b","a":{"b":[1,{"c":"}"}]},"b":12,"c":"]\\","kin":null})";
  constexpr std::array<std::string_view, 1> kOut = {"a"};
  const auto cut = [&](std::string_view key) { return read_outline(kText, {.left_out = kOut, .cut = key}).cut; };
  EXPECT_EQ(cut("a"), R"({"b":[1,{"c":"}"}]})");
  EXPECT_EQ(cut("b"), "12");
  EXPECT_EQ(cut("c"), R"("]\\")");
  EXPECT_EQ(cut("kin"), "null");
  EXPECT_EQ(cut("kind"), R"("a\"b")");
  EXPECT_EQ(cut("d"), "");
}

TEST(Outline, OfAnythingElseIsNull) {
  constexpr std::array<std::string_view, 1> kA = {"a"};
  constexpr std::array<std::string_view, 1> kNothing = {"none"};
  const std::string text = R"({"a":[{"b":"c\"d\\"},[1]],"e":{"f":null}})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string part = text.substr(0, length);  // a copy: reading on would be found out
    EXPECT_TRUE(read_outline(part, {}).object.is_null()) << part;
    EXPECT_TRUE(read_outline(part, {.left_out = kA}).object.is_null()) << part;
    EXPECT_TRUE(read_outline(part, {.kept = kNothing}).object.is_null()) << part;
  }
  for (const std::string_view other : {"[]", "1", "{}{}", R"({"a" :1})", R"({"a":1,})", R"({,"a":1})", R"({"a":x})",
                                       R"({"a":"\x"})", R"({a:1})", R"({"a":[1}})", R"({"a":})", R"({"a":1]})"}) {
    EXPECT_TRUE(read_outline(other, {}).object.is_null()) << other;
  }
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  EXPECT_TRUE(read_outline(R"({"a":)" + deep + "}", {}).object.is_null());
  EXPECT_TRUE(read_outline(R"({"a":)" + deep, {.left_out = kA}).object.is_null());
}

}  // namespace
}  // namespace loadline::document
