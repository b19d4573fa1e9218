#include "brain/cluster/facts/labels.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster {
namespace {

using kube::LabelSelectorOperator;
using kube::NodeSelectorOperator;
using testing::label_in;
using testing::requirement;
using testing::Strings;

struct LabelsTest : ::testing::Test {
  SymbolTable symbols;

  LabelSet labels(const kube::StringMap& map) { return {map, symbols}; }

  bool node_matches(const kube::NodeSelectorTerm& term, const kube::StringMap& map, const std::string& name = "n") {
    return matches(compile_node_term(term, symbols), labels(map), symbols.intern(name), symbols);
  }
  bool pod_matches(const std::optional<kube::LabelSelector>& selector, const kube::StringMap& map) {
    return PodSelector::of(selector, symbols).matches(labels(map), symbols);
  }
};

TEST_F(LabelsTest, ASetFindsTheValueOfAKeyAndNothingForOthers) {
  const LabelSet set = labels({{"b", "2"}, {"a", "1"}, {"c", ""}});
  EXPECT_EQ(set.find(symbols.intern("a")), symbols.intern("1"));
  EXPECT_EQ(set.find(symbols.intern("c")), symbols.intern(""));
  EXPECT_FALSE(set.find(symbols.intern("d")).valid());
  EXPECT_TRUE(LabelSet().empty());
  EXPECT_EQ(set, labels({{"a", "1"}, {"b", "2"}, {"c", ""}}));
}

TEST_F(LabelsTest, EachNodeSelectorOperatorMatchesAsDocumented) {
  struct Case {
    NodeSelectorOperator op;
    Strings values;
    const char* label;  // the value of key "k"; null: absent
    bool matches;
  };
  const Case cases[] = {
      {NodeSelectorOperator::kIn, {"a", "b"}, "b", true},
      {NodeSelectorOperator::kIn, {"a", "b"}, "c", false},
      {NodeSelectorOperator::kIn, {"a"}, nullptr, false},
      {NodeSelectorOperator::kIn, {""}, "", true},
      {NodeSelectorOperator::kIn, {""}, nullptr, false},
      {NodeSelectorOperator::kNotIn, {"a", "b"}, "c", true},
      {NodeSelectorOperator::kNotIn, {"a", "b"}, "a", false},
      {NodeSelectorOperator::kNotIn, {"a"}, nullptr, true},
      {NodeSelectorOperator::kExists, {}, "", true},
      {NodeSelectorOperator::kExists, {}, nullptr, false},
      {NodeSelectorOperator::kDoesNotExist, {}, "a", false},
      {NodeSelectorOperator::kDoesNotExist, {}, nullptr, true},
      {NodeSelectorOperator::kGt, {"4"}, "5", true},
      {NodeSelectorOperator::kGt, {"4"}, "4", false},
      {NodeSelectorOperator::kGt, {"9"}, "10", true},  // numbers, not texts
      {NodeSelectorOperator::kGt, {"4"}, "five", false},
      {NodeSelectorOperator::kGt, {"4"}, "5.5", false},
      {NodeSelectorOperator::kGt, {"4"}, "", false},
      {NodeSelectorOperator::kGt, {"4"}, nullptr, false},
      {NodeSelectorOperator::kGt, {"4"}, "9223372036854775808", false},  // beyond int64
      {NodeSelectorOperator::kLt, {"4"}, "3", true},
      {NodeSelectorOperator::kLt, {"4"}, "4", false},
      {NodeSelectorOperator::kLt, {"4"}, nullptr, false},
      // Requirements that upstream cannot parse match nothing.
      {NodeSelectorOperator::kIn, {}, "a", false},
      {NodeSelectorOperator::kNotIn, {}, "a", false},
      {NodeSelectorOperator::kGt, {"x"}, "5", false},
      {NodeSelectorOperator::kGt, {"1", "2"}, "5", false},
      {NodeSelectorOperator::kLt, {}, "5", false},
      {NodeSelectorOperator::kGt, {"-2"}, "1", false},  // no label value, for all that it is a number
      {NodeSelectorOperator::kIn, {"a", "-b"}, "a", false},
      {NodeSelectorOperator::kNotIn, {"-b"}, "a", false},
  };
  int number = 0;
  for (const Case& each : cases) {
    SCOPED_TRACE(number++);
    kube::StringMap map;
    if (each.label != nullptr) map["k"] = each.label;
    EXPECT_EQ(node_matches({{requirement("k", each.op, each.values)}, {}}, map), each.matches);
  }
}

TEST_F(LabelsTest, AFieldRequirementNamesExactlyOneNode) {
  const auto on_name = [&](NodeSelectorOperator op, const Strings& values) {
    return node_matches({{}, {requirement("metadata.name", op, values)}}, {}, "n1");
  };
  EXPECT_TRUE(on_name(NodeSelectorOperator::kIn, {"n1"}));
  EXPECT_FALSE(on_name(NodeSelectorOperator::kIn, {"n2"}));
  EXPECT_FALSE(on_name(NodeSelectorOperator::kNotIn, {"n1"}));
  EXPECT_TRUE(on_name(NodeSelectorOperator::kNotIn, {"n2"}));
  EXPECT_FALSE(on_name(NodeSelectorOperator::kIn, {"n1", "n2"}));  // two names parse to nothing
  EXPECT_FALSE(on_name(NodeSelectorOperator::kExists, {}));
}

TEST_F(LabelsTest, ATermNeedsItsLabelsAndItsFields) {
  kube::NodeSelectorTerm term = label_in("disk", {"ssd"});
  term.match_fields = {requirement("metadata.name", NodeSelectorOperator::kIn, {"n1"})};
  EXPECT_TRUE(node_matches(term, {{"disk", "ssd"}}, "n1"));
  EXPECT_FALSE(node_matches(term, {{"disk", "ssd"}}, "n2"));
  EXPECT_FALSE(node_matches(term, {{"disk", "hdd"}}, "n1"));
}

TEST_F(LabelsTest, EmptyTermsAreLeftOutAndARuleOfOnlyThoseMatchesNoNode) {
  NodeAffinityRule rule;
  EXPECT_TRUE(rule.unconstrained());
  EXPECT_TRUE(matches(rule, labels({}), symbols.intern("n"), symbols));
  rule.has_terms = true;
  rule.terms = compile_node_terms({{kube::NodeSelectorTerm{}}}, symbols);
  EXPECT_TRUE(rule.terms.empty());
  EXPECT_FALSE(rule.unconstrained());
  EXPECT_FALSE(matches(rule, labels({{"a", "1"}}), symbols.intern("n"), symbols));
}

TEST_F(LabelsTest, ARuleNeedsTheNodeSelectorAndOneOfTheTerms) {
  NodeAffinityRule rule;
  rule.node_selector = compile_node_term(label_in("pool", {"gpu"}), symbols).labels;
  rule.has_terms = true;
  rule.terms = compile_node_terms({{label_in("zone", {"a"}), label_in("zone", {"b"})}}, symbols);
  const auto holds = [&](const kube::StringMap& map) {
    return matches(rule, labels(map), symbols.intern("n"), symbols);
  };
  EXPECT_TRUE(holds({{"pool", "gpu"}, {"zone", "a"}}));
  EXPECT_TRUE(holds({{"pool", "gpu"}, {"zone", "b"}}));
  EXPECT_FALSE(holds({{"pool", "gpu"}, {"zone", "c"}}));
  EXPECT_FALSE(holds({{"pool", "cpu"}, {"zone", "a"}}));
}

TEST_F(LabelsTest, PreferredTermsOfWeightZeroAndEmptyOnesAreLeftOut) {
  const auto compiled = compile_preferred({{0, label_in("a", {"1"})}, {5, {}}, {7, label_in("b", {"2"})}}, symbols);
  ASSERT_EQ(compiled.size(), 1U);
  EXPECT_EQ(compiled[0].weight, 7);
}

TEST_F(LabelsTest, AnAbsentPodSelectorMatchesNothingAnEmptyOneEverything) {
  EXPECT_FALSE(pod_matches(std::nullopt, {}));
  EXPECT_FALSE(pod_matches(std::nullopt, {{"a", "1"}}));
  EXPECT_TRUE(pod_matches(kube::LabelSelector{}, {}));
  EXPECT_TRUE(pod_matches(kube::LabelSelector{}, {{"a", "1"}}));
  const PodSelector absent = PodSelector::of(std::nullopt, symbols);
  EXPECT_TRUE(absent.nothing());
  EXPECT_FALSE(absent.empty());
  EXPECT_TRUE(PodSelector::everything().empty());
  EXPECT_FALSE(PodSelector::everything().nothing());
}

TEST_F(LabelsTest, APodSelectorNeedsEveryLabelAndExpression) {
  kube::LabelSelector selector{{{"app", "web"}}, {{"tier", LabelSelectorOperator::kNotIn, {"test"}}}};
  EXPECT_TRUE(pod_matches(selector, {{"app", "web"}}));
  EXPECT_TRUE(pod_matches(selector, {{"app", "web"}, {"tier", "prod"}}));
  EXPECT_FALSE(pod_matches(selector, {{"app", "web"}, {"tier", "test"}}));
  EXPECT_FALSE(pod_matches(selector, {{"tier", "prod"}}));
  selector.match_expressions = {{"app", LabelSelectorOperator::kExists, {}},
                                {"tier", LabelSelectorOperator::kDoesNotExist, {}}};
  EXPECT_TRUE(pod_matches(selector, {{"app", "web"}}));
  EXPECT_FALSE(pod_matches(selector, {{"app", "web"}, {"tier", ""}}));
}

TEST_F(LabelsTest, SelectorsThatSayTheSameInAnotherOrderAreEqual) {
  const kube::LabelSelector one{
      {}, {{"a", LabelSelectorOperator::kIn, {"1", "2"}}, {"b", LabelSelectorOperator::kExists, {}}}};
  const kube::LabelSelector two{
      {}, {{"b", LabelSelectorOperator::kExists, {}}, {"a", LabelSelectorOperator::kIn, {"2", "1", "1"}}}};
  EXPECT_EQ(PodSelector::of(one, symbols), PodSelector::of(two, symbols));
}

TEST_F(LabelsTest, AddedSelectorsMustBothHoldAndNothingStaysNothing) {
  PodSelector both = PodSelector::of_labels({{"a", "1"}}, symbols);
  both.add(PodSelector::of_labels({{"b", "2"}}, symbols));
  EXPECT_TRUE(both.matches(labels({{"a", "1"}, {"b", "2"}}), symbols));
  EXPECT_FALSE(both.matches(labels({{"a", "1"}}), symbols));
  EXPECT_FALSE(both.matches(labels({{"b", "2"}}), symbols));
  both.add(PodSelector{});
  EXPECT_TRUE(both.nothing());
  EXPECT_FALSE(both.matches(labels({{"a", "1"}, {"b", "2"}}), symbols));
}

}  // namespace
}  // namespace loadline::cluster
