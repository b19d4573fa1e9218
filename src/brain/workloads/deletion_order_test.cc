#include "brain/workloads/deletion_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;

const Instant kAsked = *parse_rfc3339("2026-01-01T01:00:00Z");

/// A pod that runs and is ready on node "n" for an hour.
class Draft {
 public:
  explicit Draft(std::string name) {
    pod_.metadata.name = name;
    pod_.metadata.uid = std::move(name);
    pod_.metadata.creation_timestamp = kAsked + Duration::seconds(-3600);
    spec_.node_name = "n";
    pod_.status.phase = kube::PodPhase::kRunning;
    ready(3600);
  }
  Draft node(std::string name) && {
    spec_.node_name = std::move(name);
    return std::move(*this);
  }
  Draft pending() && {
    pod_.status.phase = kube::PodPhase::kPending;
    return std::move(*this);
  }
  Draft not_ready() && {
    pod_.status.conditions.clear();
    return std::move(*this);
  }
  Draft ready_for(std::int64_t seconds) && {
    ready(seconds);
    return std::move(*this);
  }
  Draft cost(std::string text) && {
    pod_.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = std::move(text);
    return std::move(*this);
  }
  Draft restarts(std::int32_t count) && {
    pod_.status.container_statuses.resize(1);
    pod_.status.container_statuses[0].restart_count = count;
    return std::move(*this);
  }
  Draft age(std::int64_t seconds) && {
    pod_.metadata.creation_timestamp = kAsked + Duration::seconds(-seconds);
    return std::move(*this);
  }
  kube::Pod pod() && {
    pod_.spec = std::make_shared<const kube::PodSpec>(std::move(spec_));
    return std::move(pod_);
  }

 private:
  void ready(std::int64_t seconds) {
    pod_.status.conditions = {{"Ready", "True", "", "", kAsked + Duration::seconds(-seconds)}};
  }
  kube::Pod pod_;
  kube::PodSpec spec_;
};

std::vector<std::string> order(std::vector<kube::Pod> pods, std::size_t count, const PodsOnNodes& relatives = {}) {
  std::vector<const kube::Pod*> pointers;
  for (const auto& pod : pods) pointers.push_back(&pod);
  std::vector<std::string> names;
  for (const std::size_t place : first_to_delete(pointers, count, relatives, kAsked)) {
    names.push_back(pods[place].metadata.name);
  }
  return names;
}

TEST(DeletionOrder, FollowsTheRulesInTurn) {
  std::vector<kube::Pod> pods;
  pods.push_back(Draft("z-keep").pod());
  pods.push_back(Draft("a-keep").pod());
  pods.push_back(Draft("8 young").age(60).pod());
  pods.push_back(Draft("7 restarts").restarts(3).pod());
  pods.push_back(Draft("6 ready lately").ready_for(10).pod());
  pods.push_back(Draft("5 crowded").node("crowded").pod());
  pods.push_back(Draft("4 cheap").cost("-5").ready_for(7200).pod());
  pods.push_back(Draft("3 not ready").not_ready().pod());
  pods.push_back(Draft("2 pending").pending().not_ready().pod());
  pods.push_back(Draft("1 no node").node("").pending().not_ready().pod());
  EXPECT_THAT(order(std::move(pods), 9, {{"n", 8}, {"crowded", 9}}),
              ElementsAre("1 no node", "2 pending", "3 not ready", "4 cheap", "5 crowded", "6 ready lately",
                          "7 restarts", "8 young", "a-keep"));
}

TEST(DeletionOrder, TakesTimesByTheirLogarithmAndWhatIsNoCostForNone) {
  std::vector<kube::Pod> pods;
  pods.push_back(Draft("b").ready_for(3700).cost("+5").pod());
  pods.push_back(Draft("a").ready_for(3600).cost("cheap").pod());
  pods.push_back(Draft("c").ready_for(3500).pod());
  EXPECT_THAT(order(std::move(pods), 2), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace loadline::workloads
