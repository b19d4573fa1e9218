#include "objects/kube/held_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kHeldTemplate = "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";

std::string robot(const std::string& spec) {
  return "{apiVersion: example.com/v1, kind: Robot, metadata: {name: r}, spec: " + spec + "}";
}

/// "spec.template x3".
std::vector<std::string> held(const std::string& spec) {
  const Value object = document::read_yaml(robot(spec), "test").documents.at(0);
  std::vector<std::string> found;
  for (const HeldPods& pods : held_pods(object)) found.push_back(pods.path + " x" + std::to_string(pods.count));
  return found;
}

TEST(HeldPods, LieInTemplatesWithACountBeside) {
  const std::string pod = kHeldTemplate;
  EXPECT_THAT(held("{replicas: 3, template: " + pod + "}"), ElementsAre("spec.template x3"));
  EXPECT_THAT(held("{workers: [{numWorkers: 2, podTemplate: " + pod + "}, {podTemplate: " + pod + "}]}"),
              ElementsAre("spec.workers[0].podTemplate x2", "spec.workers[1].podTemplate x1"));
  EXPECT_THAT(held("{replicas: '3', size: 0, template: " + pod + "}"), ElementsAre("spec.template x0"));
  EXPECT_THAT(held("{replicas: -1, template: " + pod + "}"), ElementsAre("spec.template x1"));
  EXPECT_THAT(held("{containers: [{name: c, image: i}]}"), IsEmpty()) << "no template";
  EXPECT_THAT(held("{template: {spec: {containers: []}}}"), IsEmpty());
  EXPECT_THAT(held("{template: {spec: {containers: [{name: c}]}}}"), IsEmpty()) << "an image is what tells a container";
}

Decoding read_with_guess(const std::string& text) {
  ReadingRules rules;
  rules.guesses_workloads = true;
  std::vector<SourceDocument> documents;
  for (const Value& document : document::read_yaml(text, "test").documents) documents.push_back({document, "test", {}});
  return decode(documents, rules);
}

std::vector<std::string> pods_of(const Decoding& decoding) {
  std::vector<std::string> names;
  for (const Pod& pod : decoding.objects.of<Pod>()) names.push_back(pod.metadata.name);
  return names;
}

TEST(HeldPods, AreMadeIfOneMayGuess) {
  const std::string pod = kHeldTemplate;
  const Decoding one = read_with_guess(robot("{replicas: 2, template: " + pod + "}"));
  EXPECT_THAT(pods_of(one), ElementsAre("r-0", "r-1"));
  EXPECT_THAT(one.diagnostics, IsEmpty());
  const Pod& first = one.objects.of<Pod>().front();
  ASSERT_NE(first.metadata.controller(), nullptr);
  EXPECT_EQ(first.metadata.controller()->kind, "Robot");
  EXPECT_EQ(first.metadata.labels.at("a"), "b");
  EXPECT_TRUE(one.objects.skipped.at(0).is_guessed);
  EXPECT_FALSE(has_unplanned(one.objects.skipped));
  EXPECT_THAT(pods_of(read_with_guess(robot("{a: {template: " + pod + "}, b: {template: " + pod + "}}"))),
              ElementsAre("r-0-0", "r-1-0"));
  EXPECT_EQ(pods_of(read_with_guess(robot("{replicas: 1000000000, template: " + pod + "}"))).size(),
            static_cast<std::size_t>(kMostGuessedPods));
}

TEST(HeldPods, AreNotedIfOneMayNot) {
  const std::string text = robot(std::string("{replicas: 2, template: ") + kHeldTemplate + "}");
  const Decoding noted = decode({{document::read_yaml(text, "test").documents.at(0), "test", {}}});
  EXPECT_THAT(pods_of(noted), IsEmpty());
  EXPECT_TRUE(has_unplanned(noted.objects.skipped));
  EXPECT_EQ(noted.objects.skipped.at(0).held_pods, 2);
  EXPECT_EQ(noted.objects.skipped.at(0).held_in, "spec.template");
}

TEST(HeldPods, OfAClusterAreThereAlready) {
  const std::string text =
      "{apiVersion: example.com/v1, kind: Robot, metadata: {name: r, uid: u, creationTimestamp: "
      "'2026-01-01T00:00:00Z'}, spec: {template: " +
      std::string(kHeldTemplate) + "}}";
  EXPECT_FALSE(has_unplanned(read_with_guess(text).objects.skipped));
  EXPECT_THAT(pods_of(read_with_guess(text)), IsEmpty());
}

TEST(HeldPods, SomeKindsAreKnownToMakeThemSomehow) {
  EXPECT_TRUE(is_kind_for_later("trainer.kubeflow.org/v1alpha1", "TrainJob"));
  EXPECT_FALSE(is_kind_for_later("example.com/v1", "TrainJob"));
  const Decoding noted = decode({{document::read_yaml("{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: "
                                                      "{name: w}, spec: {}}",
                                                      "test")
                                      .documents.at(0),
                                  "test",
                                  {}}});
  EXPECT_TRUE(has_unplanned(noted.objects.skipped));
}

}  // namespace
}  // namespace loadline::kube
