#include "hosts/advice/explain.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

TEST(Explain, ReportsNoProgressOfWhatItTries) {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a").allocatable("cpu", "4").cordoned()};
  objects.of<kube::Pod>() = {pod("waits").request("cpu", "1")};
  std::size_t reports = 0;
  simulator::PlanOptions options;
  options.progress = [&](std::size_t, std::size_t) { ++reports; };
  const auto planning = std::move(*simulator::Planning::make(objects, {}, options));
  const std::size_t of_the_plan = reports;
  EXPECT_FALSE(explain(*planning, 0, Trying::kByPlan).suggestions.empty());
  EXPECT_EQ(reports, of_the_plan) << "the observer of the plan's progress may be gone";
}

TEST(Explain, SaysThatFewerReplicasOfALargePlanWereNotTried) {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a").allocatable("cpu", "4")};
  const kube::Pod built = pod("web").label("app", "web").request("cpu", "3");
  kube::ReplicaSet& set = objects.of<kube::ReplicaSet>().emplace_back();
  set.metadata.name = "web";
  set.metadata.namespace_ = "default";
  set.replicas = 4;
  set.selector = selecting("app", "web");
  set.template_ = {built.metadata, built.spec};
  set.template_.metadata.name.clear();
  const auto planning = std::move(*simulator::Planning::make(objects, {}, {}));
  std::size_t waiting = 0;
  while (planning->pods()[waiting].outcome != simulator::PodOutcome::kPending) ++waiting;
  const Explanation explanation = explain(*planning, waiting, Trying::kByScheduler);
  std::size_t scaled = 0;
  for (const Suggestion& suggestion : explanation.suggestions) {
    const bool scales = std::holds_alternative<Scale>(suggestion.remedy.front());
    EXPECT_EQ(suggestion.proof == Proof::kUntried, scales);
    if (scales) ++scaled;
  }
  EXPECT_EQ(scaled, 1U);
}

}  // namespace
}  // namespace loadline::advice
