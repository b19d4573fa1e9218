#include "hosts/extension/extender_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace loadline::extension {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ExtenderAnswer, FilterNamesNodesAndWhyOthersWillNotDo) {
  const auto result = decode_filter_answer(
      R"({"NodeNames": ["a", "b"], "FailedNodes": {"c": "busy"}, "FailedAndUnresolvableNodes": {"d": "never"}})",
      NodeCache::kCapable);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->answer.nodes, ElementsAre("a", "b"));
  EXPECT_THAT(result->answer.failed, ElementsAre(Pair("c", "busy")));
  EXPECT_THAT(result->answer.failed_and_unresolvable, ElementsAre(Pair("d", "never")));
  EXPECT_FALSE(result->answer.whole_nodes);
  EXPECT_EQ(result->error, "");
}

TEST(ExtenderAnswer, FilterMayHandBackWholeNodes) {
  const auto result = decode_filter_answer(
      R"({"Nodes": {"metadata": {}, "items": [{"metadata": {"name": "a"}, "spec": {}}]}, "NodeNames": null})",
      NodeCache::kNot);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->answer.nodes, ElementsAre("a"));
  EXPECT_TRUE(result->answer.whole_nodes);
}

TEST(ExtenderAnswer, NamesCountOnlyFromThoseThatCacheNodes) {
  const auto result = decode_filter_answer(R"({"NodeNames": ["a"]})", NodeCache::kNot);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->answer.nodes, IsEmpty());
}

TEST(ExtenderAnswer, FieldsCountWhateverTheirCaseAndUnknownOnesAreLeft) {
  const auto result =
      decode_filter_answer(R"({"nodenames": ["a"], "failedNodes": {"b": null}, "version": 3})", NodeCache::kCapable);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->answer.nodes, ElementsAre("a"));
  EXPECT_THAT(result->answer.failed, ElementsAre(Pair("b", "")));
  const auto scores = decode_prioritize_answer(R"([{"host": "a", "score": 7}, {"HOST": "b"}])");
  ASSERT_TRUE(scores) << scores.error().message;
  ASSERT_EQ(scores->size(), 2U);
  EXPECT_EQ((*scores)[0].node, "a");
  EXPECT_EQ((*scores)[0].score, 7);
  EXPECT_EQ((*scores)[1].node, "b");
  EXPECT_EQ((*scores)[1].score, 0);
}

TEST(ExtenderAnswer, PreemptionNamesVictimsByUid) {
  const auto answer = decode_preemption_answer(
      R"({"NodeNameToMetaVictims": {"n": {"Pods": [{"UID": "u1"}, {"UID": "u2"}], "NumPDBViolations": 1}, "m": null}})");
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->size(), 2U);
  EXPECT_THAT(answer->at("n").uids, ElementsAre("u1", "u2"));
  EXPECT_EQ(answer->at("n").budget_violations, 1);
  EXPECT_THAT(answer->at("m").uids, IsEmpty());
}

TEST(ExtenderAnswer, NothingIsAnAnswerToo) {
  EXPECT_THAT(decode_filter_answer("{}", NodeCache::kCapable)->answer.nodes, IsEmpty());
  EXPECT_THAT(decode_filter_answer("null", NodeCache::kCapable)->answer.nodes, IsEmpty());
  EXPECT_THAT(*decode_prioritize_answer("null"), IsEmpty());
  EXPECT_THAT(*decode_preemption_answer("{}"), IsEmpty());
  EXPECT_EQ(*decode_binding_answer("{}"), "");
}

TEST(ExtenderAnswer, ErrorsOfItsOwnAreHandedOn) {
  EXPECT_EQ(decode_filter_answer(R"({"Error": "no licence"})", NodeCache::kCapable)->error, "no licence");
  EXPECT_EQ(*decode_binding_answer(R"({"error": "conflict"})"), "conflict");
}

struct Malformed {
  std::string_view name;
  std::string_view json;
  std::string_view message;
};

class MalformedAnswers : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedAnswers, SayWhatIsWrong) {
  const auto& [name, json, message] = GetParam();
  const std::string_view kind = name.substr(0, name.find('_'));
  Result<void> result;
  const auto keep = [&](const auto& decoded) {
    if (!decoded) result = tl::unexpected(decoded.error());
  };
  if (kind == "Filter") keep(decode_filter_answer(json, NodeCache::kCapable));
  if (kind == "Prioritize") keep(decode_prioritize_answer(json));
  if (kind == "Preempt") keep(decode_preemption_answer(json));
  if (kind == "Bind") keep(decode_binding_answer(json));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, ::testing::StartsWith(std::string(message)));
}

const Malformed kMalformed[] = {
    {"Filter_Empty", "", "it is empty"},
    {"Filter_Html", "<html>", "not JSON: "},
    {"Filter_Cut", R"({"NodeNames": ["a")", "not JSON: "},
    {"Filter_List", "[]", "the answer: expected an object, got array"},
    {"Filter_NameOfNode", R"({"NodeNames": "a"})", "NodeNames: expected a list of strings, got string"},
    {"Filter_NumberAsName", R"({"NodeNames": [3]})", "NodeNames: expected a list of strings, got number"},
    {"Filter_Items", R"({"Nodes": {"items": {}}})", "Nodes.items: expected a list, got object"},
    {"Filter_Item", R"({"Nodes": {"items": [1]}})", "Nodes.items: expected objects, got number"},
    {"Filter_Failed", R"({"FailedNodes": ["a"]})", "FailedNodes: expected an object, got array"},
    {"Filter_Reason", R"({"FailedAndUnresolvableNodes": {"a": 1}})",
     "FailedAndUnresolvableNodes: expected strings, got number"},
    {"Filter_Error", R"({"Error": false})", "Error: expected a string, got bool"},
    {"Prioritize_Object", "{}", "the answer: expected a list, got object"},
    {"Prioritize_Fraction", R"([{"Host": "a", "Score": 1.5}])", "Score: expected a whole number, got number"},
    {"Prioritize_Names", R"(["a"])", "the answer: expected a list of objects, got string"},
    {"Preempt_Pods", R"({"NodeNameToMetaVictims": {"n": {"Pods": {}}}})", "Pods: expected a list, got object"},
    {"Preempt_Uid", R"({"NodeNameToMetaVictims": {"n": {"Pods": [{"UID": 1}]}}})",
     "UID: expected a string, got number"},
    {"Preempt_Violations", R"({"NodeNameToMetaVictims": {"n": {"NumPDBViolations": "1"}}})",
     "NumPDBViolations: expected a whole number, got string"},
    {"Bind_Number", "7", "the answer: expected an object, got number"},
};

INSTANTIATE_TEST_SUITE_P(ExtenderAnswer, MalformedAnswers, ::testing::ValuesIn(kMalformed),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace loadline::extension
