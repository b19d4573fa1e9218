#include "app/cli/lint.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "foundation/document/reader.h"

namespace loadline::cli {
namespace {

struct LintEnding {
  int status = 0;
  std::string out;
  std::string err;
};

LintEnding lint(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), "lint");
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const Terminal page{.interactive = false, .width = 100};
  Console console{in, out, err, page, page};
  LintEnding ending;
  ending.status = run(arguments, console);
  ending.out = out.str();
  ending.err = err.str();
  return ending;
}

constexpr const char* kLintedNode = R"(apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {gpu-type: t4}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
)";

constexpr const char* kLintedPod = R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector:
    gpu-type: a100
  schedulerName: default-schedular
  containers: [{name: main, image: "web:1"}]
)";

constexpr const char* kBroken = R"(---
apiVersion: v1
kind: Pod
metadata: {name: broken}
spec: {}
)";

TEST(Lint, PointsAtEachFieldAndCountsFiles) {
  const LintEnding ending = lint({"-"}, std::string(kLintedNode) + kLintedPod);
  EXPECT_EQ(ending.status, kNotAllPlaced);
  EXPECT_NE(ending.out.find(":11:15: warning: Pod default/p: spec.nodeSelector[gpu-type]: "), std::string::npos)
      << ending.out;
  EXPECT_NE(ending.out.find(":12:18: warning: Pod default/p: spec.schedulerName: "), std::string::npos) << ending.out;
  EXPECT_EQ(ending.err, "2 warnings in 1 file\n");
}

TEST(Lint, LeavesOutRulesThatNeedNodesAndSaysSo) {
  const LintEnding ending = lint({"-"}, kLintedPod);
  EXPECT_EQ(ending.out.find("selector-matches-no-node"), std::string::npos);
  EXPECT_NE(ending.out.find("[scheduler-unknown]"), std::string::npos);
  EXPECT_NE(ending.err.find("rules need nodes, and the input has none"), std::string::npos) << ending.err;
  EXPECT_EQ(lint({"-", "-q"}, kLintedPod).err, "");
}

TEST(Lint, AsksTheRulesThatAreNamed) {
  const std::string input = std::string(kLintedNode) + kLintedPod;
  const LintEnding only = lint({"-", "--rule", "scheduler-unknown"}, input);
  EXPECT_EQ(only.out.find("selector-matches-no-node"), std::string::npos);
  EXPECT_NE(only.out.find("[scheduler-unknown]"), std::string::npos);
  const LintEnding without = lint({"-", "--without", "scheduler-unknown"}, input);
  EXPECT_NE(without.out.find("selector-matches-no-node"), std::string::npos);
  EXPECT_EQ(without.out.find("[scheduler-unknown]"), std::string::npos);
  EXPECT_EQ(lint({"-", "--rule", "requests-absent", "--without", "requests-absent"}, input).status, kDone);
  const LintEnding unknown = lint({"-", "--rule", "schedular-unknown"}, input);
  EXPECT_EQ(unknown.status, kBadInput);
  EXPECT_NE(unknown.err.find("did you mean scheduler-unknown?"), std::string::npos) << unknown.err;
}

TEST(Lint, WithErrorsThereIsNoAdviceUnlessAskedFor) {
  const std::string input = std::string(kLintedNode) + kLintedPod + kBroken;
  const LintEnding ending = lint({"-"}, input);
  EXPECT_EQ(ending.status, kBadInput);
  EXPECT_NE(ending.out.find("spec.containers: Required value"), std::string::npos);
  EXPECT_EQ(ending.out.find("[scheduler-unknown]"), std::string::npos);
  EXPECT_NE(ending.err.find("1 error in 1 file; advice comes once the errors are mended"), std::string::npos);
  const LintEnding going = lint({"-", "--keep-going"}, input);
  EXPECT_EQ(going.status, kBadInput);
  EXPECT_NE(going.out.find("[scheduler-unknown]"), std::string::npos);
}

TEST(Lint, TheClusterIsTakenIntoAccountAndNotJudged) {
  // The same file on both sides is judged; a cluster alone leaves nothing to judge.
  const LintEnding cluster = lint({"--cluster", "examples/gpu-cluster"});
  EXPECT_EQ(cluster.status, kBadInput);
  EXPECT_NE(cluster.err.find("name it with -f"), std::string::npos);
  const std::string lonely = R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: main, image: "web:1", resources: {limits: {nvidia.com/gpu: "64"}}}]
)";
  const LintEnding against = lint({"-f", "-", "--cluster", "examples/gpu-cluster"}, lonely);
  EXPECT_EQ(against.status, kNotAllPlaced);
  EXPECT_NE(against.out.find("the largest node has 8"), std::string::npos) << against.out;
  EXPECT_EQ(against.out.find("examples/"), std::string::npos) << against.out;
}

TEST(Lint, WritesADocument) {
  const LintEnding ending = lint({"-", "-o", "json"}, std::string(kLintedNode) + kLintedPod);
  const document::Reading reading = document::read(ending.out, "out");
  ASSERT_EQ(reading.documents.size(), 1U) << ending.out;
  const document::Value& report = reading.documents.front();
  EXPECT_EQ(report.find("kind")->string(), "LintReport");
  EXPECT_EQ(report.find("summary")->find("warnings")->integer(), 2);
  const document::Value& first = report.find("findings")->array().front();
  EXPECT_EQ(first.find("rule")->string(), "selector-matches-no-node");
  EXPECT_EQ(first.find("severity")->string(), "warning");
  EXPECT_EQ(first.find("line")->integer(), 11);
  EXPECT_EQ(first.find("object")->string(), "Pod default/p");
  EXPECT_EQ(first.find("path")->string(), "spec.nodeSelector[gpu-type]");
  EXPECT_EQ(first.find("hint")->string(), "nodes have gpu-type=t4 (1)");
  EXPECT_EQ(lint({"-", "-o", "csv"}, kLintedPod).status, kBadInput);
}

TEST(Lint, ListsItsRules) {
  const LintEnding table = lint({"--rules"});
  EXPECT_EQ(table.status, kDone);
  EXPECT_NE(table.out.find("rollout-deadlock (warning, needs nodes)\n"), std::string::npos);
  EXPECT_NE(table.out.find("memory-limit-absent (advice, only with --rule)\n"), std::string::npos);
  EXPECT_NE(lint({"--rules", "-o", "yaml"}).out.find("kind: LintRules"), std::string::npos);
}

TEST(Lint, PodsThatControllersMadeAndPodsThatRunAreNotJudged) {
  const std::string running = R"(apiVersion: v1
kind: Pod
metadata:
  name: web-x
  uid: 1-2-3
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u4, controller: true}]
spec:
  nodeSelector: {gpu-type: a100}
  containers: [{name: main, image: "web:1"}]
)";
  EXPECT_EQ(lint({"-"}, std::string(kLintedNode) + running).status, kDone);
}

}  // namespace
}  // namespace loadline::cli
