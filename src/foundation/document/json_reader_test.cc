#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "foundation/document/testing/reading.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

TEST(JsonReaderTest, SeveralValuesMayFollowOneAnother) {
  const Reading reading = read_json(" {\"a\":1}{\"b\":[]}\n[2]\"x\" true 7 null", "f");
  EXPECT_EQ(problems(reading), "");
  EXPECT_EQ(written(reading), "{\"a\":1}\n{\"b\":[]}\n[2]\n\"x\"\ntrue\n7\n") << "null is an empty document";
}

TEST(JsonReaderTest, AByteOrderMarkAndBlankTextAreNothing) {
  EXPECT_EQ(written(read_json("\xEF\xBB\xBF{}", "f")), "{}\n");
  EXPECT_TRUE(read_json(" \n\t", "f").documents.empty());
  EXPECT_TRUE(read_json("", "f").problems.empty());
}

TEST(JsonReaderTest, IntegersWithinSixtyFourBitsStayIntegers) {
  struct Case {
    const char* text;
    Value expected;
  };
  const Case cases[] = {
      {"0", Value(std::int64_t{0})},
      {"-0", Value(std::int64_t{0})},
      {"9223372036854775807", Value(std::int64_t{9223372036854775807})},
      {"-9223372036854775808", Value(std::numeric_limits<std::int64_t>::min())},
      {"9223372036854775808", Value(9223372036854775808.0)},
      {"18446744073709551616", Value(18446744073709551616.0)},
      {"123456789012345678901234567890", Value(123456789012345678901234567890.0)},
      {"1.0", Value(1.0)},
      {"1e2", Value(100.0)},
      {"-2.5E-3", Value(-0.0025)},
  };
  for (const Case& c : cases) {
    const Reading reading = read_json(std::string("[") + c.text + "]", "f");
    ASSERT_EQ(problems(reading), "") << c.text;
    EXPECT_EQ(reading.documents.at(0).array().at(0), c.expected) << c.text;
    EXPECT_EQ(read_json(c.text, "f").documents.at(0), c.expected) << c.text;
  }
}

TEST(JsonReaderTest, StringsAreUnescaped) {
  const Reading reading = read_json(R"(["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"])", "f");
  ASSERT_EQ(problems(reading), "");
  EXPECT_EQ(reading.documents.at(0).array().at(0).string(), "\"\\/\b\f\n\r\té😀é");
}

TEST(JsonReaderTest, EveryValueAndKeyKnowsItsLineAndColumn) {
  const Reading reading = read_json("\n{\"a\": 1,\n  \"é\": [true,\n {}], \"c\": \"x\"}\n {\"d\": 2} 3", "f");
  ASSERT_EQ(problems(reading), "");
  const Value& first = reading.documents.at(0);
  EXPECT_EQ(position(first.mark()), "2:1");
  EXPECT_EQ(position(first.object()[0].mark), "2:2");
  EXPECT_EQ(position(first.find("a")->mark()), "2:7");
  EXPECT_EQ(position(first.object()[1].mark), "3:3");
  EXPECT_EQ(position(first.find("é")->mark()), "3:8") << "columns count characters, not bytes";
  EXPECT_EQ(position(first.find("é")->array()[0].mark()), "3:9");
  EXPECT_EQ(position(first.find("é")->array()[1].mark()), "4:2");
  EXPECT_EQ(position(first.find("c")->mark()), "4:12");
  EXPECT_EQ(position(reading.documents.at(1).find("d")->mark()), "5:8");
  EXPECT_EQ(position(reading.documents.at(2).mark()), "5:11");
}

TEST(JsonReaderTest, ADuplicateIsReportedWithItsPathAndTheFirstKept) {
  const Reading reading = read_json("{\"spec\":{\"c\":[{},{\"image\":1,\n\"image\":2}]},\"spec\":3}", "f");
  EXPECT_EQ(problems(reading),
            "f:2:1: error: duplicate field \"spec.c[1].image\" (set at f:1:19 before; remove one of the two)\n"
            "f:2:14: error: duplicate field \"spec\" (set at f:1:2 before; remove one of the two)\n");
  EXPECT_EQ(written(reading), "{\"spec\":{\"c\":[{},{\"image\":1}]}}\n");
}

TEST(JsonReaderTest, DuplicatesAreFoundInLargeObjectsToo) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  const Reading reading = read_json(text + "\"k3\":0,\"k50\":0,\"k99\":0}", "f");
  EXPECT_EQ(reading.problems.size(), 3U);
  EXPECT_EQ(reading.documents.at(0).object().size(), 100U);
  EXPECT_EQ(reading.documents.at(0).find("k50")->integer(), 50);
}

struct Fault {
  const char* text;
  const char* message;  // its beginning
};

TEST(JsonReaderTest, AFaultIsNamedInTheWordsOfGosDecoder) {
  const Fault faults[] = {
      {"{\"a\":1", "f:1:7: error: unexpected end of JSON input"},
      {"{\"a\":\"x", "f:1:8: error: unexpected end of JSON input"},
      {"{\"a\"", "f:1:5: error: unexpected end of JSON input"},
      {"[1,]", "f:1:4: error: invalid character ']' looking for beginning of value (remove the comma"},
      {"{\"a\":1,}",
       "f:1:8: error: invalid character '}' looking for beginning of object key string (remove the comma"},
      {"{a:1}", "f:1:2: error: invalid character 'a' looking for beginning of object key string"},
      {"{'a':1}", "f:1:2: error: invalid character '\\'' looking for beginning of object key string"},
      {"{\"a\" 1}", "f:1:6: error: invalid character '1' after object key"},
      {"{\"a\":1 \"b\":2}", "f:1:8: error: invalid character '\"' after object key:value pair"},
      {"[1 2]", "f:1:4: error: invalid character '2' after array element"},
      {"[tru]", "f:1:5: error: invalid character ']' in literal true (expecting 'e')"},
      {"[nulx]", "f:1:5: error: invalid character 'x' in literal null (expecting 'l')"},
      {"[1.]", "f:1:4: error: invalid character ']' after decimal point in numeric literal"},
      {"[-]", "f:1:3: error: invalid character ']' in numeric literal"},
      {"[1e]", "f:1:4: error: invalid character ']' in exponent of numeric literal"},
      {"[01]", "f:1:3: error: invalid character '1' after array element"},
      {"[\"\\x\"]", "f:1:4: error: invalid character 'x' in string escape code"},
      {"[\"\\u12g4\"]", "f:1:7: error: invalid character 'g' in \\u hexadecimal character escape"},
      {"[\"a\nb\"]", "f:1:4: error: invalid character '\\n' in string literal"},
      {"[yes]", "f:1:2: error: invalid character 'y' looking for beginning of value"},
      {"{\"a\":[1}", "f:1:8: error: invalid character '}' after array element"},
      {"\n\n{\"a\":\xff}", "f:3:6: error: invalid UTF-8"},
      {"{\"a\":1}}", "f:1:8: error: invalid character '}' looking for beginning of value"},
      {"[1e999]", "f:1:1: error: a string or number in this value cannot be represented"},
      {"[\"\\ud800\"]", "f:1:1: error: a string or number in this value cannot be represented"},
      {"nul", "f:1:4: error: unexpected end of JSON input"},
      {"x", "f:1:1: error: invalid character 'x' looking for beginning of value"},
      {"[\"\x01\"]", "f:1:3: error: invalid character '\\x01' in string literal"},
  };
  for (const Fault& fault : faults) {
    const Reading reading = read_json(fault.text, "f");
    EXPECT_TRUE(problems(reading).starts_with(fault.message)) << fault.text << "\n" << problems(reading);
    EXPECT_EQ(reading.problems.size(), 1U) << fault.text;
  }
}

TEST(JsonReaderTest, AFaultyValueDoesNotHideTheOthers) {
  const Reading reading = read_json("{\"a\":1}\n{\"b\" 2}\n{\"c\":3}\n{\"d\":", "f");
  EXPECT_EQ(written(reading), "{\"a\":1}\n{\"c\":3}\n");
  ASSERT_EQ(reading.problems.size(), 2U);
  EXPECT_EQ(reading.problems[0].at.line, 2U);
  EXPECT_EQ(reading.problems[1].at.line, 4U);
}

TEST(JsonReaderTest, NestingIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(problems(read_json(nested(1000), "f")), "");
  EXPECT_EQ(problems(read_json(nested(1001), "f")),
            "f:1:1001: error: exceeded max depth (no more than 1000 levels of nesting)\n");
  EXPECT_EQ(read_json(nested(3'000'000), "f").problems.size(), 1U);
}

TEST(JsonReaderTest, NestingOfObjectsIsBoundedJustSo) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += i + 1 == depth ? "{" : "{\"a\":";
    return text + std::string(depth, '}');
  };
  EXPECT_EQ(problems(read_json(nested(1000), "f")), "");
  for (const std::size_t depth : {std::size_t{1001}, std::size_t{1020}, std::size_t{1030}, std::size_t{100'000}}) {
    const Reading reading = read_json(nested(depth), "f");
    EXPECT_EQ(reading.documents.size(), 0U) << depth;
    EXPECT_EQ(problems(reading), "f:1:5001: error: exceeded max depth (no more than 1000 levels of nesting)\n")
        << depth;
  }
}

TEST(JsonReaderTest, WhatOnlyLooksLikeOneObjectIsReadValueByValue) {
  const Reading two = read_json("{\"a\":1,\"a\":2} {\"b\":3}", "f");
  EXPECT_EQ(written(two), "{\"a\":1}\n{\"b\":3}\n");
  EXPECT_EQ(two.problems.size(), 1U) << "the duplicate, once";
  EXPECT_EQ(written(read_json("{\"a\":[1,2]} [3] {\"b\":{}}", "f")), "{\"a\":[1,2]}\n[3]\n{\"b\":{}}\n");
  EXPECT_EQ(read_json("{\"a\":1}}", "f").problems.size(), 1U);
  EXPECT_EQ(read_json("{\"a\":[1}", "f").problems.size(), 1U);
  EXPECT_EQ(read_json("{\"a\":\"}", "f").problems.size(), 1U);
}

TEST(ReadTest, TextThatBeginsWithABraceIsJsonUnlessOnlyYamlCanReadIt) {
  EXPECT_EQ(written(read("{\"a\": 1}{\"b\": 2}", "f")), "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(written(read("{a: yes}", "f")), "{\"a\":true}\n");
  EXPECT_EQ(written(read("{\"a\": 1}\n---\nb: 2\n", "f")), "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(written(read("[1, a]", "f")), "[1,\"a\"]\n");
  EXPECT_EQ(problems(read("{\"a\": 1,}{", "f")).substr(0, 22), "f:1:9: error: invalid ");
}

TEST(ReadTest, OfEqualKeysTheLastCountsAsForKubectl) {
  const Reading json = read("{\"a\": {\"x\": 1}, \"a\": {\"y\": 2}}", "f");
  EXPECT_EQ(written(json), "{\"a\":{\"y\":2}}\n");
  EXPECT_EQ(
      problems(json),
      "f:1:17: warning: duplicate field \"a\" (set at f:1:2 before; the last value counts, so remove the other)\n");
  const Reading yaml = read("a: {x: 1}\na: {z: 2}\n", "f");
  EXPECT_EQ(written(yaml), "{\"a\":{\"z\":2}}\n");
  EXPECT_FALSE(has_errors(yaml.problems));
  EXPECT_EQ(yaml.problems.size(), 1U);
}

}  // namespace
}  // namespace loadline::document
