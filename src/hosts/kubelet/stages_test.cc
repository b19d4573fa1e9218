#include "hosts/kubelet/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/kubelet/pod_lifecycle.h"

namespace loadline::kubelet {
namespace {

using controllers::testing::TestCluster;
using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Value yaml(std::string_view text) {
  const document::Reading reading = document::read_yaml(text, "test");
  EXPECT_THAT(reading.problems, IsEmpty());
  return reading.documents.empty() ? Value() : reading.documents.front();
}

std::string rendered(std::string_view text, const Value& data) {
  const Result<GoTemplate> parsed = GoTemplate::parse(text);
  if (!parsed) return "! " + parsed.error().message;
  const Result<std::string> output = parsed->execute(data, {});
  return output ? *output : "! " + output.error().message;
}

TEST(GoTemplate, Renders) {
  const Value data = yaml("{name: web, count: 3, list: [{v: a}, {v: b}], empty: [], map: {b: 2, a: 1}, flag: true}");
  struct Case {
    const char* text;
    const char* expected;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"plain", "plain"},
           {"{{ .name }}-{{ .count }}", "web-3"},
           {"{{ .name | Quote }} {{ Quote .count }}", "\"web\" \"3\""},
           {"{{ .missing }} {{ .missing.deeper }}", "<no value> <no value>"},
           {"{{ range .list }}[{{ .v }}{{ $.name }}]{{ end }}", "[aweb][bweb]"},
           {"{{ range $i, $e := .list }}{{ $i }}={{ $e.v }};{{ end }}", "0=a;1=b;"},
           {"{{ range $k, $v := .map }}{{ $k }}{{ $v }}{{ end }}", "a1b2"},
           {"{{ range .empty }}x{{ else }}none{{ end }}", "none"},
           {"{{ if eq .name \"web\" }}yes{{ else }}no{{ end }}", "yes"},
           {"{{ if not .flag }}a{{ else if gt .count 2 }}b{{ else }}c{{ end }}", "b"},
           {"{{ with .list }}{{ (index . 1).v }}{{ end }}", "b"},
           {"{{ $x := .count }}{{ $y := or .nothing \"or\" }}{{ $x }}{{ $y }}", "3or"},
           {"a {{- /* no */ -}} b", "ab"},
           {"{{ index .map \"a\" }} {{ len .list }} {{ default \"d\" .nothing }}", "1 2 d"},
           {"{{ if and .flag (eq .count 3) }}both{{ end }}", "both"},
           {"{{ `raw \"x\"` }}", "raw \"x\""},
       }) {
    EXPECT_EQ(rendered(one.text, data), one.expected) << one.text;
  }
}

TEST(GoTemplate, OneThatWasNotParsedPrintsNothing) { EXPECT_EQ(*GoTemplate().execute(Value(), {}), ""); }

TEST(GoTemplate, SaysWhatItCannotRead) {
  EXPECT_EQ(rendered("{{ .a", {}), "! a {{ without its }}");
  EXPECT_EQ(rendered("{{ if .a }}", {}), "! a block without its {{ end }}");
  EXPECT_EQ(rendered("{{ end }}", {}), "! {{ end }} ends nothing");
  EXPECT_EQ(rendered("{{ frobnicate 1 }}", {}), "! function \"frobnicate\" is not known here");
  EXPECT_EQ(rendered("{{ $x }}", {}), "! variable $x is not known here");
  EXPECT_EQ(rendered("{{ (eq 1 }}", {}), "! a ( without its )");
  EXPECT_EQ(rendered("{{ lt 1 \"a\" }}", {}), "! lt cannot compare number with string");
  const Value many(document::Object{{"l", Value(document::Array(1000)), {}}});
  EXPECT_EQ(rendered("{{ range .l }}{{ range $.l }}{{ range $.l }}{{ end }}{{ end }}{{ end }}", many),
            "! it takes too many steps");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{{ if 1 }}";
  EXPECT_THAT(rendered(deep, {}), HasSubstr("nested too deeply"));
}

TEST(JqPath, LeadsToValues) {
  const Value data = yaml(
      "{metadata: {annotations: {a/b: x}}, status: {phase: Running, conditions: [{type: Ready, status: 'True'}, {type: "
      "Other, status: 'False'}]}}");
  const auto found = [&](std::string_view text) {
    std::vector<std::string> texts;
    const Result<JqPath> path = JqPath::parse(text);
    if (!path) return std::vector<std::string>{"! " + path.error().message};
    for (const Value& value : path->evaluate(data)) texts.push_back(plain_text(value));
    return texts;
  };
  EXPECT_THAT(found(".status.phase"), ElementsAre("Running"));
  EXPECT_THAT(found(".metadata.annotations[\"a/b\"]"), ElementsAre("x"));
  EXPECT_THAT(found(".status.conditions.[].type"), ElementsAre("Ready", "Other"));
  EXPECT_THAT(found(".status.conditions.[] | select( .type == \"Ready\" ) | .status"), ElementsAre("True"));
  EXPECT_THAT(found(".metadata.deletionTimestamp"), IsEmpty());
  EXPECT_THAT(found("status"), ElementsAre("! \"status\" is not understood from column 1 on"));
  EXPECT_THAT(found(".a | length"), Contains(HasSubstr("is not understood from column")));
}

class StagesTest : public ::testing::Test {
 protected:
  StagesTest() {
    cluster_.add(make_pod_lifecycle({}));
    cluster_.apply(
        "{kind: Node, apiVersion: v1, metadata: {name: node-1, annotations: {kwok.x-k8s.io/node: fake}}, spec: "
        "{podCIDR: "
        "10.1.2.0/24}, status: {addresses: [{type: InternalIP, address: 172.18.0.2}]}}");
  }
  [[nodiscard]] std::string status(std::string_view field) const {
    return std::string(document::text_at(cluster_.get<kube::Pod>("web")->document, {"status", field}));
  }
  void bind() {
    cluster_.apply(
        "{kind: Pod, apiVersion: v1, metadata: {name: web}, spec: {nodeName: node-1, containers: [{name: c, image: "
        "nginx}]}, status: {phase: Pending}}");
    cluster_.settle();
  }
  TestCluster cluster_;
};

TEST_F(StagesTest, RulePodsOnceThereAreSome) {
  cluster_.apply(R"(
kind: Stage
apiVersion: kwok.x-k8s.io/v1alpha1
metadata: {name: start}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
    - {key: .status.phase, operator: In, values: [Pending]}
  delay: {durationMilliseconds: 5000}
  next:
    event: {type: Normal, reason: Begun, message: It runs}
    statusTemplate: |
      {{ $now := Now }}
      phase: Running
      startTime: {{ $now | Quote }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) | Quote }}
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        ready: true
      {{ end }}
---
kind: Stage
apiVersion: kwok.x-k8s.io/v1alpha1
metadata: {name: gone}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector: {matchExpressions: [{key: .metadata.deletionTimestamp, operator: Exists}]}
  next: {delete: true}
)");
  bind();
  EXPECT_EQ(status("phase"), "Pending");
  EXPECT_EQ(cluster_.again_after, Duration::seconds(5));
  cluster_.wait(Duration::seconds(5));
  EXPECT_EQ(status("phase"), "Running");
  EXPECT_EQ(status("podIP"), "10.1.2.2");
  EXPECT_EQ(status("hostIP"), "172.18.0.2");
  EXPECT_THAT(cluster_.events, ElementsAre("Normal Begun It runs"));
  cluster_.wait(Duration::seconds(600));
  EXPECT_THAT(cluster_.done, ElementsAre("patch pods/status web"));
  cluster_.set<kube::Pod>("web", {"metadata", "deletionTimestamp"}, Value("2026-01-01T01:00:00Z"));
  cluster_.settle();
  EXPECT_EQ(cluster_.get<kube::Pod>("web"), nullptr);
}

TEST_F(StagesTest, SayWhatIsNotUnderstoodAndLeaveTheModelInCharge) {
  cluster_.apply(R"(
kind: Stage
apiVersion: kwok.x-k8s.io/v1alpha1
metadata: {name: clever}
spec:
  resourceRef: {kind: Pod}
  selector: {matchExpressions: [{cel: {expression: "true"}}]}
  next: {delete: true}
)");
  bind();
  EXPECT_EQ(status("phase"), "Running");
  EXPECT_THAT(cluster_.events, Contains("Warning InvalidStage This stage is not followed: expressions in CEL are not "
                                        "understood here"));
}

}  // namespace
}  // namespace loadline::kubelet
