#include "hosts/advice/lint/lint_input.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/node_builder.h"

namespace loadline::advice::lint {
namespace {

using cluster::testing::NodeBuilder;

/// A live cluster's only node, and nothing of the classes.
kube::Objects live() {
  kube::Objects objects;
  objects.of<kube::Node>().push_back(NodeBuilder("a"));
  objects.of<kube::Node>()[0].metadata.uid = "u";
  return objects;
}

/// Which classes the input shows all of: "priority storage runtime".
std::string known_classes(const kube::Objects& objects) {
  const kube::SchedulerConfiguration configuration;
  const auto is_judged = [](const SourcePosition&) { return true; };
  const Result<LintInput> input = LintInput::make(objects, configuration, false, is_judged);
  if (!input) return "error";
  return std::string(input->knows_classes() ? "priority " : "") + (input->knows_storage_classes() ? "storage " : "") +
         (input->knows_runtime_classes() ? "runtime" : "");
}

TEST(LintInput, KnowsClassesOfAClusterThatHasNoneIfItWasAskedForThem) {
  kube::Objects objects = live();
  EXPECT_EQ(known_classes(objects), "") << "a dump may have been made without them";
  objects.is_whole_cluster = true;
  EXPECT_EQ(known_classes(objects), "priority storage runtime");
}

TEST(LintInput, TellsClassesOfTheClusterFromThoseOfManifests) {
  kube::Objects objects = live();
  objects.of<kube::RuntimeClass>().resize(1);
  EXPECT_EQ(known_classes(objects), "");
  objects.of<kube::RuntimeClass>()[0].metadata.uid = "u";
  EXPECT_EQ(known_classes(objects), "runtime");
}

}  // namespace
}  // namespace loadline::advice::lint
