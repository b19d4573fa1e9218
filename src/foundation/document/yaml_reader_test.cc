#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "foundation/document/testing/reading.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

TEST(YamlReaderTest, DocumentsAreSplitAtLinesThatBeginWithThreeDashes) {
  const Reading reading =
      read_yaml("# first\n---\na: 1\n--- # second\nb: |\n  ---\n  x\n---\n---\n# none\n---\nnull\n---\nc: 3", "f");
  EXPECT_EQ(problems(reading), "");
  EXPECT_EQ(written(reading), "{\"a\":1}\n{\"b\":\"---\\nx\\n\"}\n{\"c\":3}\n");
}

TEST(YamlReaderTest, DirectivesMarksAndLineEndsOfOtherSystemsAreAccepted) {
  EXPECT_EQ(written(read_yaml("%YAML 1.1\n---\na: 1\n", "f")), "{\"a\":1}\n");
  EXPECT_EQ(written(read_yaml("\xEF\xBB\xBF"
                              "a: 1\r\n---\r\nb: 2\r\n",
                              "f")),
            "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(written(read_yaml("", "f")), "");
}

TEST(YamlReaderTest, ABrokenDocumentDoesNotHideTheOthers) {
  const Reading reading = read_yaml("a: [1\n---\nb: 2\n--- {c: 3}\nd: 4\n---\ne: 5\n---\n\tf: 6\n", "f");
  EXPECT_EQ(written(reading), "{\"b\":2}\n{\"e\":5}\n");
  ASSERT_EQ(reading.problems.size(), 3U);
  EXPECT_EQ(reading.problems[1].message, "invalid Yaml document separator: {c: 3}");
  EXPECT_EQ(reading.problems[1].at.line, 4U);
  EXPECT_EQ(reading.problems[2].at.line, 9U);
}

TEST(YamlReaderTest, EveryValueAndKeyKnowsItsLineAndColumn) {
  const Reading reading = read_yaml("---\na: x\nspec:\n  é: [1,\n   {b: 2}]\n", "f");
  ASSERT_EQ(reading.documents.size(), 1U);
  const Value& document = reading.documents[0];
  EXPECT_EQ(position(document.mark()), "2:1");
  EXPECT_EQ(position(document.object()[0].mark), "2:1");
  EXPECT_EQ(position(document.find("a")->mark()), "2:4");
  const Value& list = *document.find("spec")->find("é");
  EXPECT_EQ(position(document.find("spec")->object()[0].mark), "4:3");
  EXPECT_EQ(position(list.array()[0].mark()), "4:7");
  EXPECT_EQ(position(list.array()[1].find("b")->mark()), "5:8");
}

struct MeaningCase {
  const char* yaml;
  const char* json;
};

TEST(YamlReaderTest, AliasesAndMergeKeysAreResolved) {
  const MeaningCase cases[] = {
      {"a: &x [1, 2]\nb: *x\n", R"({"a":[1,2],"b":[1,2]})"},
      {"a: &x 1\n*x : 2\n", R"({"a":1,"1":2})"},
      {"a: &x 1\nb: &x 2\nc: *x\n", R"({"a":1,"b":2,"c":2})"},
      {"a: &x {p: 1, q: 2}\nb: {<<: *x, p: 3}\n", R"({"a":{"p":1,"q":2},"b":{"p":3,"q":2}})"},
      {"b: {<<: [{p: 1}, {p: 2, q: 3}], r: 4}\n", R"({"b":{"r":4,"p":1,"q":3}})"},
      {"b: {<<: {p: 1, q: 1}, <<: {p: 2}}\n", R"({"b":{"p":2,"q":1}})"},
      {"a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}\n", R"({"a":{"p":1},"b":{"q":2,"p":1},"c":{"q":2,"p":1}})"},
      {"b: {'<<': 1}\n", R"({"b":{"<<":1}})"},
  };
  for (const MeaningCase& c : cases) {
    const Reading reading = read_yaml(c.yaml, "f");
    EXPECT_EQ(problems(reading), "") << c.yaml;
    EXPECT_EQ(written(reading), std::string(c.json) + "\n") << c.yaml;
  }
}

TEST(YamlReaderTest, AMergeKeyAfterWhatItWouldOverrideIsWarnedOf) {
  const Reading reading = read_yaml("p: 1\n<<: {p: 2, q: 3}\n", "f");
  EXPECT_EQ(written(reading), "{\"p\":1,\"q\":3}\n");
  EXPECT_EQ(
      problems(reading),
      "f:2:5: warning: kubectl lets the merge key override \"p\", which stands before it (write '<<' first in its "
      "mapping)\n");
}

TEST(YamlReaderTest, ADuplicateKeyIsReportedAndTheFirstKept) {
  const Reading reading = read_yaml("spec:\n- a: 1\n  b: 2\n  a: 3\n1: x\n'1': y\n", "f");
  EXPECT_EQ(written(reading), "{\"spec\":[{\"a\":1,\"b\":2}],\"1\":\"x\"}\n");
  EXPECT_EQ(problems(reading),
            "f:4:3: error: spec[0].a: key \"a\" already set in map (set at f:2:3 before; remove one of the two)\n"
            "f:6:1: error: 1: key \"1\" already set in map (set at f:5:1 before; remove one of the two)\n");
}

TEST(YamlReaderTest, OfKeysThatComeTwiceTheLastMayCountWithAWarning) {
  const Reading reading = read_yaml("a: {x: 1, y: 2}\nb: 2\na: {x: 3}\na: 4\n", "f", EqualKeys::kLast);
  EXPECT_EQ(written(reading), "{\"a\":4,\"b\":2}\n");
  EXPECT_EQ(
      problems(reading),
      "f:3:1: warning: a: key \"a\" already set in map (set at f:1:1 before; the last value counts, so remove the "
      "other)\n"
      "f:4:1: warning: a: key \"a\" already set in map (set at f:3:1 before; the last value counts, so remove the "
      "other)\n");
}

TEST(YamlReaderTest, ScalarsMayStayTheTextsThatTheyAreWrittenAs) {
  const Reading reading =
      read_yaml("a: 1.30\nb: [yes, 010, ~, 'x']\nc:\n1: !!int 2\n", "f", EqualKeys::kLast, Scalars::kTexts);
  EXPECT_EQ(written(reading), "{\"a\":\"1.30\",\"b\":[\"yes\",\"010\",\"~\",\"x\"],\"c\":\"\",\"1\":\"2\"}\n");
}

TEST(YamlReaderTest, WhatIsWrongIsSaidWithItsPlace) {
  const MeaningCase cases[] = {
      {"a: b: c\n", "f:1:5: error: mapping values are not allowed in this context (quote a string that contains ': '"},
      {"a:\n\tb: 1\n",
       "f:2:1: error: found character that cannot start any token while scanning for the next token "
       "(indent with spaces, not tabs"},
      {"a: @x\n", "f:1:4: error: found character that cannot start any token"},
      {"a:\n  - 1\n - 2\n",
       "f:3:2: error: did not find expected key while parsing a block mapping that began at 1:1 (check the"},
      {"a: 1\n b: 2\n", "f:2:3: error: mapping values are not allowed in this context"},
      {"a: [1\nb: 2\n",
       "f:2:2: error: did not find expected ',' or ']' while parsing a flow sequence that began at 1:4"},
      {"a: 'x\n",
       "f:2:1: error: found unexpected end of stream while scanning a quoted scalar that began at 1:4 (close"},
      {"- a\nb: 1\n", "f:2:1: error: did not find expected '-' indicator"},
      {"a: *b\n", "f:1:4: error: unknown anchor 'b' referenced (quote a string that begins with '*')"},
      {"a: &a [*a]\n", "f:1:8: error: anchor 'a' value contains itself"},
      {"b: {<<: 3}\n", "f:1:9: error: map merge requires map or sequence of maps as the value"},
      {"a: &x [{}]\nb: {<<: *x}\n", "f:2:9: error: map merge requires map or sequence of maps as the value"},
      {"? [a]\n: b\n", "f:1:3: error: invalid map key: [\"a\"]"},
      {"~: b\n", "f:1:1: error: unsupported map key of type: null (quote the key)"},
      {"18446744073709551615: b\n", "f:1:1: error: unsupported map key of type: uint64 (quote the key)"},
      {"{a: b}\nc: d\n", "f:2:1: error: did not find expected <document start> (what"},
      {"a: 1\nb: \xff\n", "f:2:4: error: invalid leading UTF-8 octet (save the file as UTF-8)"},
      {"a: \x01\n", "f:1:4: error: control characters are not allowed"},
      {"a: !x!y 1\n", "f:1:4: error: found undefined tag handle while parsing a node"},
  };
  for (const MeaningCase& c : cases) {
    const Reading reading = read_yaml(c.yaml, "f");
    EXPECT_TRUE(problems(reading).starts_with(c.json)) << c.yaml << "\n" << problems(reading);
    EXPECT_EQ(reading.problems.size(), 1U) << c.yaml;
    EXPECT_TRUE(reading.documents.empty()) << c.yaml;
  }
}

TEST(YamlReaderTest, WhatFollowsAWrittenDocumentEndIsWarnedOf) {
  const Reading reading = read_yaml("a: 1\n...\nb: 2\n---\nc: 3\n...\n", "f");
  EXPECT_EQ(written(reading), "{\"a\":1}\n{\"c\":3}\n");
  EXPECT_EQ(problems(reading), "f:3:1: warning: what follows '...' is not read (begin a document with '---')\n");
}

TEST(YamlReaderTest, NestingIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(problems(read_yaml(nested(1000), "f")), "");
  EXPECT_EQ(problems(read_yaml(nested(1001), "f")),
            "f:1:1001: error: exceeded max depth (no more than 1000 levels of nesting)\n");
  EXPECT_EQ(read_yaml(nested(1'000'000), "f").problems.size(), 1U);
}

/// The library looks at all open brackets for each token.
TEST(YamlReaderTest, ManyTokensInManyBracketsAreRefused) {
  const auto listed = [](std::size_t depth, int tokens) {
    std::string text(depth, '[');
    for (int i = 0; i < tokens; ++i) text += "x,";
    return text + std::string(depth, ']');
  };
  EXPECT_EQ(problems(read_yaml(listed(30, 500'000), "f")), "");
  const std::string refused = problems(read_yaml(listed(900, 500'000), "f"));
  EXPECT_NE(refused.find("error: so much stands in so many brackets that it is not read"), std::string::npos)
      << refused;
}

TEST(YamlReaderTest, AliasesCannotBlowADocumentUp) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) laughs += (j == 0 ? "" : ", ") + below;
    laughs += "]\n";
  }
  const Reading reading = read_yaml(laughs, "f");
  ASSERT_EQ(reading.problems.size(), 1U);
  EXPECT_EQ(reading.problems[0].message, "document contains excessive aliasing");
  EXPECT_TRUE(reading.documents.empty());

  std::string modest = "base: &base {a: 1, b: 2, c: 3}\nlist:\n";
  for (int i = 0; i < 500; ++i) modest += "- *base\n";
  EXPECT_EQ(problems(read_yaml(modest, "f")), "");
}

/// Few nodes, and much text.
TEST(YamlReaderTest, AliasesOfALongTextCannotEither) {
  const auto named = [](std::size_t size, int times) {
    std::string text = "- &a {k: '" + std::string(size, 'x') + "'}\n";
    for (int i = 0; i < times; ++i) text += "- *a\n";
    return read_yaml(text, "f");
  };
  EXPECT_EQ(problems(named(1'000'000, 16)), "");
  const Reading bomb = named(1'000'000, 900);
  ASSERT_EQ(bomb.problems.size(), 1U);
  EXPECT_EQ(bomb.problems[0].message, "aliases stand for more than 16 MiB of text");
  EXPECT_EQ(bomb.problems[0].at.line, 18U);
  EXPECT_TRUE(bomb.documents.empty());
}

}  // namespace
}  // namespace loadline::document
