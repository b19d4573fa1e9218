#include "brain/engine/policy.h"

#include <gmock/gmock.h>

#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "brain/engine/chosen_policy.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/loadline/policy_schema.h"
#include "objects/schema/custom/definitions.h"

namespace loadline::engine {
namespace {

using document::Array;
using document::Object;
using document::Value;
using kube::PolicyBase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Switch& row(std::string_view name) {
  for (const Switch& each : switches()) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "no switch " << name;
  return switches().front();
}

TEST(PolicyTable, NamesEverySwitchAndWordOnceAndSaysWhatItDoes) {
  std::set<std::string_view> names = {"base"};
  for (const Switch& each : switches()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(std::islower(static_cast<unsigned char>(each.name.front()))) << each.name;
    EXPECT_FALSE(each.decides.empty() || each.source.empty()) << each.name;
    EXPECT_FALSE(each.decides.ends_with(".")) << each.name;
    for (const std::int64_t value : {each.parity, each.recommended}) {
      EXPECT_EQ(each.read(each.written(value)), value) << each.name;
    }
    if (each.is_number()) {
      EXPECT_LT(each.numbers.least, each.numbers.most) << each.name;
      EXPECT_FALSE(each.numbers.means.empty()) << each.name;
      continue;
    }
    EXPECT_GE(each.words.size(), 2U) << each.name;
    std::set<std::string_view> words;
    for (const Word& word : each.words) {
      EXPECT_TRUE(words.insert(word.name).second) << each.name << " " << word.name;
      EXPECT_TRUE(std::isupper(static_cast<unsigned char>(word.name.front()))) << word.name;
      EXPECT_FALSE(word.means.empty()) << word.name;
    }
  }
}

std::vector<std::int64_t> values_of(const Switch& row) {
  if (row.is_number()) return {row.numbers.least, row.numbers.most};
  std::vector<std::int64_t> values;
  for (std::int64_t word = 0; word < std::ssize(row.words); ++word) values.push_back(word);
  return values;
}

TEST(PolicyTable, SetsAndGetsEachSwitchAlone) {
  for (const Switch& each : switches()) {
    for (const std::int64_t value : values_of(each)) {
      Policy policy;
      each.set(policy, value);
      for (const Switch& other : switches()) {
        const std::int64_t expected = &other == &each ? value : other.recommended;
        EXPECT_EQ(other.get(policy), expected) << each.name << " moves " << other.name;
      }
    }
  }
}

TEST(PolicyTable, ReadsWordsAndNumbersInTheirRange) {
  const Switch& nodes = row("nodesToScore");
  EXPECT_EQ(nodes.read(Value("Adaptive")), 1);
  EXPECT_EQ(nodes.read(Value("adaptive")), std::nullopt);
  EXPECT_EQ(nodes.read(Value(std::int64_t{1})), std::nullopt);
  EXPECT_EQ(nodes.expected(), "one of All, Adaptive");
  const Switch& depth = row("backfillDepth");
  EXPECT_EQ(depth.read(Value(std::int64_t{1})), 1);
  EXPECT_EQ(depth.read(Value(std::int64_t{1000})), 1000);
  EXPECT_EQ(depth.read(Value(std::int64_t{0})), std::nullopt);
  EXPECT_EQ(depth.read(Value(std::int64_t{1001})), std::nullopt);
  EXPECT_EQ(depth.read(Value("32")), std::nullopt);
  EXPECT_EQ(depth.read(Value(32.5)), std::nullopt);
  EXPECT_EQ(depth.expected(), "a whole number from 1 to 1000");
  EXPECT_EQ(depth.text(32), "32");
}

TEST(PolicyTable, IsWhatHoldsInEitherBase) {
  EXPECT_EQ(policy_of(PolicyBase::kRecommended), Policy{});
  const Policy parity = policy_of(PolicyBase::kParity);
  EXPECT_EQ(parity.placement.nodes_to_score, placement::NodesToScore::kAdaptive);
  EXPECT_EQ(parity.placement.preemption_candidates, placement::PreemptionCandidates::kAsConfigured);
  EXPECT_EQ(parity.placement.silent_extenders, placement::SilentExtenders::kAskAgain);
  EXPECT_EQ(parity.gang.placement, gang::GroupPlacement::kInOrder);
  EXPECT_EQ(parity.gang.victims, gang::GroupVictims::kPodByPod);
  EXPECT_EQ(parity.gang.backfill, gang::Backfill::kSkipAhead);
  EXPECT_EQ(parity.gang.broken, gang::BrokenGroups::kKept);
}

// ---- the definition of the kind -------------------------------------------------------------------------------------

Value member(std::string_view key, Value value) { return Value(Object{{std::string(key), std::move(value), {}}}); }

/// The properties of a Policy's spec as the definition has to have them.
Value expected_properties() {
  Array bases;
  for (const std::string_view base : kube::kPolicyBaseNames) bases.emplace_back(base);
  Object properties;
  properties.push_back({"base",
                        member("default", Value(kube::name_of(PolicyBase::kRecommended)))
                            .with("enum", Value(std::move(bases)))
                            .with("type", Value("string")),
                        {}});
  for (const Switch& each : switches()) {
    if (each.is_number()) {
      properties.push_back({std::string(each.name),
                            member("format", Value("int64"))
                                .with("maximum", Value(each.numbers.most))
                                .with("minimum", Value(each.numbers.least))
                                .with("type", Value("integer")),
                            {}});
      continue;
    }
    Array words;
    for (const Word& word : each.words) words.emplace_back(word.name);
    properties.push_back(
        {std::string(each.name), member("enum", Value(std::move(words))).with("type", Value("string")), {}});
  }
  return Value(std::move(properties));
}

TEST(PolicyDefinition, HasTheSwitchesOfTheTable) {
  schema::BuiltInDefinitions definitions;
  const Value definition = definitions.definition("policies.loadline.dev");
  const Value* versions = document::find_at(definition, {"spec", "versions"});
  ASSERT_NE(versions, nullptr);
  const Value* properties =
      document::find_at(versions->array().front(), {"schema", "openAPIV3Schema", "properties", "spec", "properties"});
  ASSERT_NE(properties, nullptr);
  EXPECT_EQ(document::write_json(*properties), document::write_json(expected_properties()))
      << "src/objects/schema/data/crds/loadline.json, policies.loadline.dev: the properties of spec have to be the "
         "second of the two";
}

// ---- reading an object ----------------------------------------------------------------------------------------------

kube::Policy object(PolicyBase base, std::vector<kube::PolicySetting> settings) {
  kube::Policy policy;
  policy.metadata.name = kube::kOnlyPolicy;
  policy.metadata.source.file = std::make_shared<const std::string>("policy.yaml");
  policy.base = base;
  policy.base_mark = {5, 3};
  policy.settings = std::move(settings);
  return policy;
}

std::vector<std::string> lines_of(const Diagnostics& problems) {
  std::vector<std::string> lines;
  for (const Diagnostic& problem : problems) lines.push_back(problem.to_string());
  return lines;
}

TEST(ReadPolicy, SetsWhatIsWrittenOverTheBase) {
  const PolicyReading reading =
      read_policy(object(PolicyBase::kParity,
                         {{"nodesToScore", Value("All"), {6, 3}}, {"backfillDepth", Value(std::int64_t{8}), {7, 3}}}));
  EXPECT_THAT(reading.problems, IsEmpty());
  Policy expected = policy_of(PolicyBase::kParity);
  expected.placement.nodes_to_score = placement::NodesToScore::kAll;
  expected.gang.backfill_depth = 8;
  EXPECT_EQ(reading.chosen.policy, expected);
  EXPECT_EQ(reading.chosen.base, PolicyBase::kParity);
  EXPECT_EQ(reading.chosen.base_at->line, 5U);
  ASSERT_EQ(reading.chosen.set_at.size(), switches().size());
  EXPECT_EQ(*reading.chosen.set_at[0]->file, "policy.yaml");
  EXPECT_EQ(reading.chosen.set_at[0]->line, 6U);
  EXPECT_FALSE(reading.chosen.set_at[1].has_value());
  EXPECT_EQ(row("nodesToScore").text(row("nodesToScore").get(reading.chosen.policy)), "All");
}

TEST(ReadPolicy, SaysWhereAndWhatWasMeant) {
  kube::Policy mistaken = object(PolicyBase::kParity, {{"nodesToScor", Value("All"), {6, 3}},
                                                       {"nodesToScore", Value("Adaptiv"), {7, 3}},
                                                       {"silentExtenders", Value("Sometimes"), {8, 3}},
                                                       {"preemptionCandidates", Value("All"), {9, 3}},
                                                       {"groupVictims", Value(std::int64_t{2}), {10, 3}},
                                                       {"backfillDepth", Value(std::int64_t{0}), {11, 3}},
                                                       {"backfillDepth", Value("many"), {12, 3}}});
  mistaken.metadata.name = "mine";
  mistaken.metadata.source.line = 1;
  mistaken.metadata.source.column = 1;
  const PolicyReading reading = read_policy(mistaken);
  EXPECT_THAT(
      lines_of(reading.problems),
      ElementsAre("policy.yaml:1:1: error: Policy mine: metadata.name: a cluster has one policy, and its name is "
                  "\"default\"",
                  "policy.yaml:6:3: error: Policy mine: spec.nodesToScor: there is no switch \"nodesToScor\" (did you "
                  "mean \"nodesToScore\"?)",
                  "policy.yaml:7:3: error: Policy mine: spec.nodesToScore: \"Adaptiv\" is no word for this switch (did "
                  "you mean \"Adaptive\"?)",
                  "policy.yaml:8:3: error: Policy mine: spec.silentExtenders: \"Sometimes\" is no word for this switch "
                  "(one of LeaveAlone, AskAgain)",
                  "policy.yaml:10:3: error: Policy mine: spec.groupVictims: 2 is no word for this switch (one of "
                  "WholeGroups, ByDisruptionMode, PodByPod)",
                  "policy.yaml:11:3: error: Policy mine: spec.backfillDepth: 0 is no number for this switch (a whole "
                  "number from 1 to 1000)",
                  "policy.yaml:12:3: error: Policy mine: spec.backfillDepth: \"many\" is no number for this switch (a "
                  "whole number from 1 to 1000)"));
  Policy expected = policy_of(PolicyBase::kParity);
  expected.placement.preemption_candidates = placement::PreemptionCandidates::kAll;
  EXPECT_EQ(reading.chosen.policy, expected) << "what can be understood counts";
}

TEST(ReadPolicy, WarnsOfWhatAnApiServerHasTaken) {
  kube::Policy taken = object(PolicyBase::kRecommended, {{"ofALaterVersion", Value("Yes"), {}}});
  taken.metadata.uid = "u";
  const PolicyReading reading = read_policy(taken);
  ASSERT_EQ(reading.problems.size(), 1U);
  EXPECT_EQ(reading.problems[0].severity, Severity::kWarning);
  EXPECT_EQ(reading.chosen.policy, Policy{});
}

}  // namespace
}  // namespace loadline::engine
