#include "foundation/document/writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <iterator>

#include "foundation/document/number.h"
#include "foundation/document/reader.h"

namespace loadline::document {
namespace {

Value parsed(const std::string& json) {
  const Reading reading = read_json(json, "f");
  EXPECT_TRUE(reading.problems.empty()) << json;
  return reading.documents.at(0);
}

TEST(JsonWriterTest, CompactAndIndentedAreAsGoAndKubectlPrint) {
  const Value value = parsed(R"({"a":[1,"<x>&",null,true,1.5],"b":{},"c":[],"d":{"e":1}})");
  EXPECT_EQ(write_json(value), R"({"a":[1,"<x>&",null,true,1.5],"b":{},"c":[],"d":{"e":1}})");
  EXPECT_EQ(write_json(value, JsonStyle::kIndented),
            "{\n    \"a\": [\n        1,\n        \"<x>&\",\n        null,\n        true,\n        1.5\n    ],\n"
            "    \"b\": {},\n    \"c\": [],\n    \"d\": {\n        \"e\": 1\n    }\n}");
}

TEST(JsonWriterTest, OnlyWhatMustBeIsEscaped) {
  EXPECT_EQ(write_json(Value("\"\\\n\r\t\b\f\x01\x7f é\u2028\u2029")),
            "\"\\\"\\\\\\n\\r\\t\\b\\f\\u0001\x7f é\\u2028\\u2029\"");
  EXPECT_EQ(write_json(Value("a\xff"
                             "b")),
            "\"a\uFFFDb\"");
  EXPECT_EQ(write_json(Value(std::numeric_limits<double>::infinity())), "null");
}

/// Texts are looked at several bytes at a time: wherever a special one stands, it is seen.
TEST(JsonWriterTest, EscapesAtEveryPlaceOfEveryLength) {
  for (std::size_t size = 1; size < 20; ++size) {
    const std::string plain(size, '~');
    EXPECT_EQ(write_json(Value(plain)), '"' + plain + '"');
    for (std::size_t at = 0; at < size; ++at) {
      for (const auto& [special, escaped] :
           {std::pair('"', "\\\""), std::pair('\\', "\\\\"), std::pair('\x1f', "\\u001f")}) {
        std::string text = plain;
        text[at] = special;
        EXPECT_EQ(write_json(Value(text)), '"' + plain.substr(0, at) + escaped + plain.substr(at + 1) + '"');
      }
    }
  }
}

struct WriterCase {
  const char* json;
  const char* yaml;
};

/// Recorded from sigs.k8s.io/yaml v1.6.0.
TEST(YamlWriterTest, TheLayoutIsKubectls) {
  const WriterCase cases[] = {
      {R"({"a":1,"b":{"c":[1,{"d":2,"e":[3]},[4,[5]]]},"f":[],"g":{}})",
       "a: 1\nb:\n  c:\n  - 1\n  - d: 2\n    e:\n    - 3\n  - - 4\n    - - 5\nf: []\ng: {}\n"},
      {R"(["yes","1","","null","12:30","2001-01-01","100m","a: b","- x","#c","it's","*x"])",
       "- \"yes\"\n- \"1\"\n- \"\"\n- \"null\"\n- \"12:30\"\n- \"2001-01-01\"\n- 100m\n- 'a: b'\n- '- x'\n- '#c'\n"
       "- it's\n- '*x'\n"},
      {R"({"k":"a\nb\n","l":"a\nb","m":"a\n\n","p":" a\nb","q":"a \nb"})",
       "k: |\n  a\n  b\nl: |-\n  a\n  b\nm: |+\n  a\n\np: |2-\n   a\n  b\nq: \"a \\nb\"\n"},
      {R"({"true":"x","1":null,"a b":true})", "\"true\": x\n\"1\": null\na b: true\n"},
      {R"([1.5,1e21,1234567.5,1e15,9223372036854775807])",
       "- 1.5\n- 1e+21\n- 1.2345675e+06\n- 1000000000000000\n- 9223372036854775807\n"},
      {R"({"m":"x\n\n"})", "m: |+\n  x\n\n"},
      {R"("x")", "x\n"},
      {R"(["\ufeff","\u2028","tab\tx","é"])", "- \"\\uFEFF\"\n- \"\\L\"\n- \"tab\\tx\"\n- é\n"},
  };
  for (const WriterCase& c : cases) EXPECT_EQ(write_yaml(parsed(c.json)), c.yaml) << c.json;
}

TEST(YamlWriterTest, AKeyThatLooksLikeAMergeKeyIsQuoted) {
  EXPECT_EQ(write_yaml(parsed(R"({"<<":"<<"})")), "\"<<\": <<\n");
}

TEST(YamlWriterTest, LongTextIsFoldedAsKubectlFoldsIt) {
  const std::string word(30, 'w');
  EXPECT_EQ(write_yaml(Value(Object{{"k", Value(word + " " + word + " " + word + " " + word), {}}})),
            "k: " + word + " " + word + " " + word + "\n  " + word + "\n");
}

/// Uniform, unlike a bare inRange, which rapidcheck keeps near its beginning while cases are small.
int below(int count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count)); }

constexpr std::string_view kPieces[] = {
    "a",      "b",          "yes", "no",   "null",
    "1",      "0x1",        "1.5", ":",    ": ",
    " #",     "#",          "- ",  "-",    "?",
    "\n",     "\n\n",       " ",   "  ",   "\t",
    "'",      "\"",         "\\",  "|",    ">",
    "&",      "*",          "!",   "%",    "@",
    "`",      "{",          "}",   "[",    "]",
    ",",      "é",          "日",  "😀",   "\u2028",
    "\u0085", "\uFEFF",     "\r",  "\r\n", "\x01",
    "\x7f",   "<<",         "=",   "---",  "...",
    "12:30",  "2001-01-01", ".5",  "~",    "a long run of words that is folded somewhere "};

/// Strings of the kinds that trip writers up: mostly of few pieces, so that such a piece also stands alone.
std::string arbitrary_text() {
  std::string text;
  for (int i = below(below(4) == 0 ? 12 : 3); i > 0; --i) {
    text += kPieces[static_cast<std::size_t>(below(static_cast<int>(std::size(kPieces))))];
  }
  return text;
}

double with_fraction(double number) {
  return std::isfinite(number) && !parse_integer(format_number(number)) ? number : 0.5;
}

Value arbitrary_value(int depth) {
  switch (below(depth > 3 ? 5 : 7)) {
    case 0:
      return Value(arbitrary_text());
    case 1:
      return Value(*rc::gen::arbitrary<std::int64_t>());
    case 2:
      // A float without a fraction is written, as by Go, as an integer, and so read as one.
      return Value(with_fraction(*rc::gen::arbitrary<double>()));
    case 3:
      return Value(*rc::gen::arbitrary<bool>());
    case 4:
      return Value();
    case 5: {
      Array array;
      for (int i = below(4); i > 0; --i) array.push_back(arbitrary_value(depth + 1));
      return Value(std::move(array));
    }
    default: {
      Value object{Object{}};
      for (int i = below(4); i > 0; --i) object = object.with(arbitrary_text(), arbitrary_value(depth + 1));
      return object;
    }
  }
}

/// Whatever is written reads back equal. The value is put in a list, since a null document would be skipped.
TEST(WriterTest, WhatIsWrittenReadsBackEqual) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const Value value(Array{arbitrary_value(0)});
    for (const JsonStyle style : {JsonStyle::kCompact, JsonStyle::kIndented}) {
      const Reading json = read_json(write_json(value, style), "f");
      RC_ASSERT(json.problems.empty());
      RC_ASSERT(json.documents.size() == 1U);
      RC_ASSERT(json.documents[0] == value);
    }
    const std::string text = write_yaml(value);
    const Reading yaml = read_yaml(text, "f");
    for (const Diagnostic& problem : yaml.problems) RC_LOG() << problem.to_string() << "\n";
    RC_LOG() << text;
    RC_ASSERT(yaml.problems.empty());
    RC_ASSERT(yaml.documents.size() == 1U);
    RC_ASSERT(yaml.documents[0] == value);
  }));
}

}  // namespace
}  // namespace loadline::document
