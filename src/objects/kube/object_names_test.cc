// Names of objects that are read: what comes twice, names that are generated, namespaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/kube/batch/batch.h"
#include "objects/kube/codec.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"
#include "objects/kube/testing/decoding.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Codec, TakesAnObjectThatComesTwiceOnce) {
  const Decoding decoding = decode_text(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {b: c}}}\n---\n"
      "{kind: ConfigMap, apiVersion: v1, metadata: {namespace: default, labels: {b: c}, name: a}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("3:1 advice metadata.name: the same object is defined at f:1:1 already"));
  EXPECT_EQ(decoding.diagnostics.at(0).subject, "ConfigMap default/a");
  EXPECT_EQ(decoding.objects.of<ConfigMap>().size(), 1U);
}

TEST(Codec, TakesTheLaterOfDifferentObjectsOfOneName) {
  const Decoding decoding = decode_text(
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {unschedulable: false}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: b}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {unschedulable: true}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("5:1 warning metadata.name: another object of this name is defined at f:1:1; this one takes "
                          "its place"));
  EXPECT_THAT(hints_of(decoding.diagnostics),
              ElementsAre("they differ in spec.unschedulable; remove one of the two, or give it another name"));
  ASSERT_EQ(decoding.objects.of<Node>().size(), 2U);
  EXPECT_EQ(decoding.objects.of<Node>()[0].metadata.name, "a") << "its place in the order is that of the first";
  EXPECT_TRUE(decoding.objects.of<Node>()[0].unschedulable);
  EXPECT_EQ(decoding.objects.of<Node>()[0].metadata.source.line, 5U);
}

TEST(Codec, TakesJobsOfTwoProjectsWithOneNameForTwoObjects) {
  const Decoding decoding = decode_text(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: train}, spec: {template: {spec: {restartPolicy: Never, "
      "containers: [{name: a, image: b}]}}}}\n---\n"
      "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train}, spec: {tasks: [{replicas: 1, "
      "template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}]}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  EXPECT_EQ(decoding.objects.of<Job>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<VolcanoJob>().size(), 1U);
}

TEST(Codec, KeepsTheEarlierObjectIfTheLaterIsFaulty) {
  const Decoding decoding = decode_text(
      "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {unschedulable: maybe}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {unschedulable: true}}\n");
  ASSERT_EQ(decoding.diagnostics.size(), 2U);
  EXPECT_EQ(decoding.diagnostics[0].severity, Severity::kError);
  EXPECT_EQ(decoding.diagnostics[1].at.line, 5U);
  ASSERT_EQ(decoding.objects.of<Node>().size(), 1U);
  EXPECT_TRUE(decoding.objects.of<Node>()[0].unschedulable);
}

TEST(Codec, NamesWhatHasAGenerateNameBeforeItJudgesIt) {
  const std::string_view job = R"(---
apiVersion: batch/v1
kind: Job
metadata: {generateName: train-}
spec:
  completionMode: Indexed
  completions: 10
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"}]}}
)";
  const Decoding decoding = decode_text(std::string(job) + std::string(job));
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  ASSERT_EQ(decoding.objects.of<Job>().size(), 2U);
  const std::string& first = decoding.objects.of<Job>()[0].metadata.name;
  EXPECT_EQ(first.substr(0, 6), "train-");
  EXPECT_EQ(first.size(), 11U);
  EXPECT_NE(first, decoding.objects.of<Job>()[1].metadata.name);
}

TEST(Codec, JudgesGeneratedNamesAsTheServerDoes) {
  const Decoding long_name =
      decode_text("apiVersion: batch/v1\nkind: CronJob\nmetadata: {generateName: " + std::string(49, 'x') +
                  "}\nspec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: "
                  "{restartPolicy: Never, containers: [{name: a, image: b}]}}}}}");
  ASSERT_EQ(long_name.diagnostics.size(), 1U);
  EXPECT_NE(long_name.diagnostics[0].message.find("must be no more than 52 characters"), std::string::npos);
  const Decoding broken = decode_text("{apiVersion: v1, kind: ConfigMap, metadata: {generateName: A_b-}}");
  ASSERT_EQ(broken.diagnostics.size(), 1U) << "the name made of it is broken for the same reason";
  EXPECT_EQ(broken.diagnostics[0].path, "metadata.generateName");
}

TEST(Codec, LetsOneNameStandInTwoNamespaces) {
  const Decoding decoding = decode_text(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  EXPECT_EQ(decoding.objects.of<ConfigMap>().size(), 2U);
}

TEST(Codec, DropsTheNamespaceOfAKindThatHasNone) {
  const Decoding decoding = decode_text("{apiVersion: v1, kind: Node, metadata: {name: a, namespace: b}}\n");
  ASSERT_EQ(decoding.objects.of<Node>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<Node>()[0].metadata.namespace_, "");
}

}  // namespace
}  // namespace loadline::kube
