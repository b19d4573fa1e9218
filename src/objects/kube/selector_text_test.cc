#include "objects/kube/selector_text.h"

#include <gtest/gtest.h>

namespace loadline::kube {
namespace {

bool selects(std::string_view text, const StringMap& labels) {
  const Result<LabelSelector> selector = parse_label_selector(text);
  EXPECT_TRUE(selector.has_value()) << text << ": " << (selector ? "" : selector.error().message);
  return selector && matches(*selector, labels);
}

TEST(SelectorTextTest, MatchesAsKubectlDoes) {
  EXPECT_TRUE(selects("", {}));
  EXPECT_TRUE(selects("a=b", {{"a", "b"}}));
  EXPECT_TRUE(selects(" a == b ", {{"a", "b"}}));
  EXPECT_FALSE(selects("a=b", {{"a", "c"}}));
  EXPECT_TRUE(selects("a!=b", {}));
  EXPECT_FALSE(selects("a!=b", {{"a", "b"}}));
  EXPECT_TRUE(selects("e in (x, y)", {{"e", "y"}}));
  EXPECT_FALSE(selects("e in (x,y)", {}));
  EXPECT_TRUE(selects("f notin (z)", {}));
  EXPECT_FALSE(selects("!g", {{"g", ""}}));
  EXPECT_TRUE(selects("h", {{"h", ""}}));
  EXPECT_TRUE(selects("a=", {{"a", ""}}));
  EXPECT_TRUE(selects("a in ()", {{"a", ""}}));
  EXPECT_TRUE(selects("a in (b,)", {{"a", ""}}));
  EXPECT_TRUE(selects("in in (in)", {{"in", "in"}}));
  EXPECT_TRUE(selects("a=b,c!=d,e in (x,y),f notin (z),!g,h", {{"a", "b"}, {"e", "x"}, {"h", "1"}}));
  EXPECT_FALSE(selects("a=b,a=c", {{"a", "b"}}));
}

TEST(SelectorTextTest, RefusesWithUpstreamsWords) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a=b,", "found '', expected: identifier after ','"},
      {",a", "found ',', expected: !, identifier, or 'end of string'"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"a in", "unable to parse requirement: found '' expected: '('"},
      {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
      {"a=(", "unable to parse requirement: found '(', expected: identifier"},
      {"a>1", "unable to parse requirement: the operator '>' is not supported"},
      {"a=-",
       "unable to parse requirement: values[0][a]: Invalid value: \"-\": a valid label must be an empty string or "
       "consist "
       "of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
       "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
       "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
  };
  for (const auto& [text, message] : cases) {
    const Result<LabelSelector> selector = parse_label_selector(text);
    ASSERT_FALSE(selector.has_value()) << text;
    EXPECT_EQ(selector.error().message, message) << text;
  }
}

TEST(SelectorTextTest, NamesTheKeyThatIsNoLabelKey) {
  const Result<LabelSelector> selector = parse_label_selector("/a=b");
  ASSERT_FALSE(selector.has_value());
  EXPECT_EQ(selector.error().message,
            "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty");
}

bool bounds(std::string_view text, const std::string& label) {
  const Result<std::vector<SelectorTerm>> terms = parse_selector_terms(text);
  EXPECT_TRUE(terms.has_value()) << text << ": " << (terms ? "" : terms.error().message);
  return terms && terms->size() == 1 && terms->front().matches(label);
}

TEST(SelectorTextTest, BoundsWholeNumbers) {
  EXPECT_TRUE(bounds("a > 3", "4"));
  EXPECT_FALSE(bounds("a>3", "3"));
  EXPECT_FALSE(bounds("a>3", "four"));
  EXPECT_TRUE(bounds("a<3", "2"));
  EXPECT_FALSE(bounds("a<3", "3"));
  EXPECT_FALSE(parse_selector_terms("a>3")->front().matches(std::nullopt));
  EXPECT_TRUE(parse_selector_terms("b,a=c")->front().matches("c"));
  EXPECT_EQ(parse_selector_terms("a>x").error().message,
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be "
            "an integer");
}

}  // namespace
}  // namespace loadline::kube
