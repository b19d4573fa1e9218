#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/placement/cycle.h"
#include "hosts/simulator/plan.h"

namespace loadline::simulator {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using ::testing::ElementsAre;

/// Fails for pods whose annotation "scoring" says so, and else prefers the node that their annotation "wish" names.
class Wishes final : public placement::Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "Wishes"; }
  [[nodiscard]] placement::Points points() const override { return placement::Point::kScore; }
  void score(placement::Cycle& cycle, std::span<const cluster::NodeId> nodes,
             std::span<std::int64_t> scores) const override {
    const kube::StringMap& annotations = cycle.profile().extensions().pods->at(cycle.pod()).metadata.annotations;
    if (annotations.contains("scoring")) {
      cycle.fail("it says " + annotations.at("scoring"));
      return;
    }
    const auto wish = annotations.find("wish");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = wish != annotations.end() && cycle.cluster().node_name(nodes[i]) == wish->second ? 100 : 0;
    }
  }
};

class WishesSource final : public placement::PluginSource {
 public:
  [[nodiscard]] std::string_view name() const override { return "Wishes"; }
  [[nodiscard]] Result<std::unique_ptr<placement::Plugin>> make(const kube::SchedulerProfile&) const override {
    return std::make_unique<Wishes>();
  }
};

/// Pods of one shape, which only their annotations tell apart.
PodBuilder annotated(const std::string& name, const std::string& key, const std::string& value) {
  PodBuilder builder = pod(name).request("cpu", "1");
  builder.pod().metadata.annotations[key] = value;
  return builder;
}

struct PluginPlanTest : ::testing::Test {
  /// "name: node", or "name: message" of one without.
  std::vector<std::string> plan(const std::vector<PodBuilder>& pods) {
    kube::Objects objects;
    for (const char* name : {"a", "b", "c"}) objects.of<kube::Node>().push_back(node(name));
    for (const PodBuilder& each : pods) objects.of<kube::Pod>().push_back(each);
    kube::SchedulerConfiguration configuration;
    configuration.profiles[0].plugins.score.enabled = {{"Wishes", 100}};
    PlanOptions options;
    options.extensions.plugins.push_back(std::make_shared<WishesSource>());
    const Result<Plan> made = make_plan(objects, configuration, options);
    EXPECT_TRUE(made) << made.error().message;
    std::vector<std::string> lines;
    for (const PlannedPod& each : made->pods) {
      lines.push_back(each.name + ": " + (each.outcome == PodOutcome::kPlaced ? each.node : each.message));
    }
    return lines;
  }
};

TEST_F(PluginPlanTest, PodsOfOneShapeMayGetDifferentScores) {
  EXPECT_THAT(plan({annotated("p", "wish", "b"), annotated("q", "wish", "c"), annotated("r", "wish", "b")}),
              ElementsAre("p: b", "q: c", "r: b"));
}

TEST_F(PluginPlanTest, OnePodsFailureToBeScoredIsNotAnothers) {
  const std::string failed = "running Score plugins: plugin \"Wishes\" failed with: it says ";
  EXPECT_THAT(plan({annotated("p", "scoring", "no"), annotated("q", "wish", "c"), annotated("r", "scoring", "never")}),
              ElementsAre("p: " + failed + "no", "q: c", "r: " + failed + "never"));
  // Failures in a row, between which nothing changes.
  EXPECT_THAT(plan({annotated("p", "scoring", "no"), annotated("r", "scoring", "never")}),
              ElementsAre("p: " + failed + "no", "r: " + failed + "never"));
}

}  // namespace
}  // namespace loadline::simulator
