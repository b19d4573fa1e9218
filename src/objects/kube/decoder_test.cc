#include "objects/kube/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iomanip>
#include <string>

#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;

struct DecodingMistake {
  std::string_view name;
  std::string_view pod_fields;  ///< below "spec:" of a pod that is right otherwise; its first line is line 5
  std::string_view line;
  std::string_view hint;
};

std::string pod_with(std::string_view fields) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n" + std::string(fields) +
         "  containers:\n  - {name: c, image: i}\n";
}

class PodMistakes : public testing::TestWithParam<DecodingMistake> {};

TEST_P(PodMistakes, AreReportedWithPlaceWordsAndCure) {
  const Decoding decoding = decode_text(pod_with(GetParam().pod_fields));
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre(std::string(GetParam().line)));
  EXPECT_THAT(hints_of(decoding.diagnostics), ElementsAre(std::string(GetParam().hint)));
  EXPECT_TRUE(decoding.objects.of<Pod>().empty());
}

const DecodingMistake kMistakes[] = {
    {"MisspelledField", "  nodeSelctor: {a: b}\n", "5:3 error spec.nodeSelctor: unknown field \"spec.nodeSelctor\"",
     "did you mean \"nodeSelector\"?"},
    {"FieldOfAnObjectBelow", "  image: nginx\n", "5:3 error spec.image: unknown field \"spec.image\"",
     "\"image\" belongs to \"spec.containers[]\""},
    {"FieldOfAnObjectAround", "  affinity:\n    tolerations: []\n",
     "6:5 error spec.affinity.tolerations: unknown field \"spec.affinity.tolerations\"",
     "\"tolerations\" belongs to \"spec\": indent it less"},
    {"AmountsBesideRequests", "  resources: {nvidia.com/gpu: 1}\n",
     "5:15 error spec.resources.nvidia.com/gpu: unknown field \"spec.resources.nvidia.com/gpu\"",
     "\"nvidia.com/gpu\" belongs to \"requests\" or \"limits\""},
    {"StringForANumber", "  activeDeadlineSeconds: \"30\"\n",
     "5:26 error spec.activeDeadlineSeconds: expected a whole number, got string \"30\"", "remove the quotes: 30"},
    {"WordForANumber", "  priority: high\n", "5:13 error spec.priority: expected a whole number, got string \"high\"",
     ""},
    {"NumberOutOfRange", "  priority: 3000000000\n",
     "5:13 error spec.priority: expected a whole number between -2147483648 and 2147483647, got number 3000000000", ""},
    {"FractionForANumber", "  priority: 1.5\n", "5:13 error spec.priority: expected a whole number, got number 1.5",
     ""},
    {"BooleanForAString", "  nodeSelector:\n    gpu: true\n",
     "6:10 error spec.nodeSelector[gpu]: expected a string, got bool true",
     "write it in quotes: \"true\" (YAML takes yes, on and y for true as well)"},
    {"NumberForAString", "  nodeSelector: {zone: 7}\n",
     "5:24 error spec.nodeSelector[zone]: expected a string, got number 7", "write it in quotes: \"7\""},
    {"StringForABoolean", "  hostNetwork: \"true\"\n",
     "5:16 error spec.hostNetwork: expected true or false, got string \"true\"", "remove the quotes: true"},
    {"ObjectForAList", "  tolerations: {operator: Exists}\n",
     "5:16 error spec.tolerations: expected a list, got an object",
     "write \"- \" before the first line of each element"},
    {"StringForAListOfStrings", "  dnsConfig: {searches: a.b}\n",
     "5:25 error spec.dnsConfig.searches: expected a list, got string \"a.b\"", "write [\"a.b\"]"},
    {"ListForAnObject", "  securityContext: [{runAsUser: 1}]\n",
     "5:20 error spec.securityContext: expected an object, got a list", "write one object, without \"- \""},
    {"ListForAMap", "  nodeSelector: [{a: b}]\n",
     "5:17 error spec.nodeSelector: expected an object of \"name: value\" lines, got a list",
     "write the lines without \"- \""},
    {"AffinityTermsWithoutNodeSelectorTerms",
     "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
     "      - matchExpressions:\n        - {key: gpu, operator: In, values: [h100]}\n",
     "8:7 error spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: expected an object, got a "
     "list",
     "the terms go into a field of their own; write\nrequiredDuringSchedulingIgnoredDuringExecution:\n"
     "  nodeSelectorTerms:\n  - matchExpressions: ..."},
    {"EffectThatIsNone", "  tolerations:\n  - {key: a, operator: Exists, effect: NoScheduling}\n",
     "6:40 error spec.tolerations[0].effect: Unsupported value: \"NoScheduling\": supported values: \"NoSchedule\", "
     "\"PreferNoSchedule\", \"NoExecute\"",
     "did you mean \"NoSchedule\"?"},
    {"OperatorBehindAFeatureGateIsNotOffered", "  tolerations:\n  - {key: a, operator: Exist}\n",
     "6:24 error spec.tolerations[0].operator: Unsupported value: \"Exist\": supported values: \"Equal\", \"Exists\"",
     "did you mean \"Exists\"?"},
    {"SelectorOperatorThatIsNone",
     "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z,\n"
     "    labelSelector: {matchExpressions: [{key: a, operator: Equals, values: [b]}]}}]}}\n",
     "6:59 error spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector."
     "matchExpressions[0].operator: Invalid value: \"Equals\": not a valid selector operator",
     ""},
    {"RequiredWordThatIsMissing",
     "  topologySpreadConstraints:\n  - {maxSkew: 1, topologyKey: zone, labelSelector: {}}\n",
     "6:5 error spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"\": supported values: "
     "\"DoNotSchedule\", \"ScheduleAnyway\"",
     "add \"whenUnsatisfiable\": one of DoNotSchedule, ScheduleAnyway"},
    {"RequiredWordThatIsEmpty",
     "  topologySpreadConstraints:\n  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: \"\", labelSelector: {}}\n",
     "6:5 error spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"\": supported values: "
     "\"DoNotSchedule\", \"ScheduleAnyway\"",
     "add \"whenUnsatisfiable\": one of DoNotSchedule, ScheduleAnyway"},
    {"QuantityInBytes", "  overhead: {memory: 16GB}\n",
     "5:22 error spec.overhead[memory]: Invalid value: \"16GB\": quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
     "write \"16G\""},
    {"QuantityInLowerCase", "  overhead: {memory: 16 gi}\n",
     "5:22 error spec.overhead[memory]: Invalid value: \"16 gi\": quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
     "write \"16Gi\""},
    {"NumberForAListOfObjects", "  readinessGates: 3\n",
     "5:19 error spec.readinessGates: expected a list, got number 3", ""},
    {"FieldDeepInWhatNoDecisionReads",
     "  initContainers:\n  - {name: i, image: i, startupProbe: {httpGet: {port: 80, pth: /}}}\n",
     "6:60 error spec.initContainers[0].startupProbe.httpGet.pth: unknown field "
     "\"spec.initContainers[0].startupProbe.httpGet.pth\"",
     "did you mean \"path\"?"},
};

INSTANTIATE_TEST_SUITE_P(Decoder, PodMistakes, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Decoder, ReportsEveryMistakeFromTopToBottom) {
  const Decoding decoding = decode_text(pod_with("  nodeName: 3\n  foo: 1\n  priority: x\n"));
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("5:13 error spec.nodeName: expected a string, got number 3",
                          "6:3 error spec.foo: unknown field \"spec.foo\"",
                          "7:13 error spec.priority: expected a whole number, got string \"x\""));
  EXPECT_EQ(decoding.diagnostics[0].subject, "Pod default/web");
  EXPECT_EQ(*decoding.diagnostics[0].at.file, "f");
}

TEST(Decoder, TakesNullForAFieldThatIsNotThere) {
  const Decoding decoding = decode_text(pod_with("  nodeSelector: null\n  priority:\n  tolerations: ~\n"));
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre());
  ASSERT_EQ(decoding.objects.of<Pod>().size(), 1U);
}

TEST(Decoder, TakesAWholeFloatForAnInteger) {
  const Decoding decoding = decode_text(pod_with("  terminationGracePeriodSeconds: 3.0\n"));
  ASSERT_EQ(decoding.objects.of<Pod>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<Pod>()[0].spec->termination_grace_period_seconds, 3);
}

TEST(Decoder, ReportsABadTime) {
  const Decoding decoding = decode_text(
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec:\n  taints:\n"
      "  - {key: a, effect: NoSchedule, timeAdded: yesterday}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("6:45 error spec.taints[0].timeAdded: parsing time \"yesterday\" as "
                          "\"2006-01-02T15:04:05Z07:00\": cannot parse it"));
}

TEST(Decoder, AsksForTheEffectOfATaint) {
  const Decoding decoding =
      decode_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {taints: [{key: a}]}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre("4:17 error spec.taints[0].effect: Required value"));
}

TEST(Path, IsWrittenAsUpstreamWritesIt) {
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path containers(spec, "containers");
  const Path first = Path::element(containers, 0);
  const Path limits(first, "limits");
  EXPECT_EQ(Path::key(limits, "nvidia.com/gpu").text(), "spec.containers[0].limits[nvidia.com/gpu]");
  EXPECT_EQ(root.text(), "");
}

TEST(Quoted, IsNotStdQuotedBesideIomanip) {
  std::string text = "a\n\"b";
  EXPECT_EQ("say " + quoted(text), R"(say "a\n\"b")");
  EXPECT_EQ("say " + quoted(std::string("c")), "say \"c\"");
}

}  // namespace
}  // namespace loadline::kube
