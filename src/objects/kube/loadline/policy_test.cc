#include "objects/kube/loadline/policy.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"
#include "objects/kube/overlay.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Decoding decode_yaml(const std::string& text) {
  std::vector<SourceDocument> documents;
  for (document::Value& value : document::read_yaml(text, "policy.yaml").documents) {
    documents.push_back({std::move(value), "policy.yaml"});
  }
  return decode(documents);
}

std::vector<std::string> lines_of(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) lines.push_back(diagnostic.to_string());
  return lines;
}

std::string policy(const std::string& rest, const std::string& name = "default") {
  return "apiVersion: loadline.dev/v1alpha1\nkind: Policy\nmetadata: {name: " + name + "}\n" + rest;
}

TEST(Policy, IsReadWithThePlacesOfItsSwitches) {
  const Decoding decoding = decode_yaml(policy("spec:\n  base: Parity\n  nodesToScore: All\n  backfillDepth: 8\n"));
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  EXPECT_THAT(decoding.objects.skipped, IsEmpty());
  ASSERT_THAT(decoding.objects.of<Policy>(), SizeIs(1));
  const Policy& read = decoding.objects.of<Policy>()[0];
  EXPECT_EQ(read.metadata.name, kOnlyPolicy);
  EXPECT_EQ(read.base, PolicyBase::kParity);
  EXPECT_EQ(read.base_mark, (document::Mark{5, 3}));
  ASSERT_THAT(read.settings, SizeIs(2));
  EXPECT_EQ(read.settings[0].name, "backfillDepth");
  EXPECT_EQ(read.settings[0].value, document::Value(std::int64_t{8}));
  EXPECT_EQ(read.settings[1].name, "nodesToScore");
  EXPECT_EQ(read.settings[1].value, document::Value("All"));
  EXPECT_EQ(read.settings[1].mark, (document::Mark{6, 3}));
}

TEST(Policy, IsRecommendedWhereItDoesNotSay) {
  for (const char* rest : {"", "spec: {}\n"}) {
    const Decoding decoding = decode_yaml(policy(rest));
    EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty()) << rest;
    ASSERT_THAT(decoding.objects.of<Policy>(), SizeIs(1)) << rest;
    EXPECT_EQ(decoding.objects.of<Policy>()[0].base, PolicyBase::kRecommended);
    EXPECT_EQ(decoding.objects.of<Policy>()[0].base_mark.line, 0U);
  }
}

TEST(Policy, OfMistakesSaysWhereAndWhatWasMeant) {
  const Decoding decoding =
      decode_yaml(policy("spec:\n  base: Party\n  nodesToScor: All\n  preemptionCandidates: Alle\n"));
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("policy.yaml:5:9: error: Policy default: spec.base: Unsupported value: \"Party\": supported "
                          "values: \"Parity\", \"Recommended\" (did you mean \"Parity\"?)",
                          "policy.yaml:6:3: error: Policy default: spec.nodesToScor: unknown field "
                          "\"spec.nodesToScor\" (did you mean \"nodesToScore\"?)",
                          "policy.yaml:7:25: error: Policy default: spec.preemptionCandidates: Unsupported value: "
                          "\"Alle\": supported values: \"All\", \"AllRemembered\", \"AsConfigured\" (did you mean "
                          "\"All\"?)"));
  EXPECT_THAT(decoding.objects.of<Policy>(), IsEmpty());
}

TEST(Policy, OfNumbersSaysWhatTheyMayBe) {
  const Decoding decoding = decode_yaml(policy("spec:\n  backfillDepth: 0\n"));
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(AllOf(HasSubstr("policy.yaml:5:18: error: Policy default: spec.backfillDepth: "),
                                HasSubstr("greater than or equal to 1"))));
  const Decoding word = decode_yaml(policy("spec:\n  backfillDepth: many\n  nodesToScore: 3\n"));
  EXPECT_THAT(lines_of(word.diagnostics),
              ElementsAre(HasSubstr("policy.yaml:5:18: error: Policy default: spec.backfillDepth: "),
                          HasSubstr("policy.yaml:6:17: error: Policy default: spec.nodesToScore: ")));
}

TEST(Policy, HasOneName) {
  const Decoding decoding = decode_yaml(policy("spec: {}\n", "mine"));
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(HasSubstr("policy.yaml:3:18: error: Policy mine: metadata.name: Invalid value: ")));
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(HasSubstr("a cluster has one policy, and its name is \"default\"")));
}

TEST(Policy, MayNotBeThereTwiceUnlessTheySayTheSame) {
  const std::string one = policy("spec: {base: Parity}\n");
  const Decoding twice = decode_yaml(one + "---\n" + one);
  EXPECT_FALSE(has_errors(twice.diagnostics));
  EXPECT_THAT(twice.objects.of<Policy>(), SizeIs(1));
  const Decoding two = decode_yaml(one + "---\n" + policy("spec: {base: Recommended}\n"));
  EXPECT_THAT(lines_of(two.diagnostics),
              ElementsAre("policy.yaml:6:1: error: Policy default: metadata.name: there can be one, and it is defined "
                          "at policy.yaml:1:1 already (they differ in spec.base; remove one of the two)"));
}

TEST(Policy, IsAppliedOverThatOfACluster) {
  Objects objects = decode_yaml(policy("spec: {base: Parity}\n")).objects;
  EXPECT_THAT(apply_over(objects, decode_yaml(policy("spec: {nodesToScore: All}\n")).objects), IsEmpty());
  ASSERT_THAT(objects.of<Policy>(), SizeIs(1));
  EXPECT_EQ(objects.of<Policy>()[0].base, PolicyBase::kRecommended);
}

TEST(Policy, IsAMisspellingUnderAnotherNameOrVersion) {
  EXPECT_THAT(
      lines_of(decode_yaml("{apiVersion: loadline.dev/v1alpha1, kind: Polcy, metadata: {name: default}}").diagnostics),
      ElementsAre(AllOf(HasSubstr("error"), HasSubstr("did you mean \"Policy\"?"))));
  EXPECT_THAT(
      lines_of(decode_yaml("{apiVersion: loadline.dev/v1, kind: Policy, metadata: {name: default}}").diagnostics),
      ElementsAre(AllOf(HasSubstr("error"), HasSubstr("write \"apiVersion: loadline.dev/v1alpha1\""))));
}

}  // namespace
}  // namespace loadline::kube
