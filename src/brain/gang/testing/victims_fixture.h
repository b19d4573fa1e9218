#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brain/decision/eviction.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/gang/switches.h"

namespace loadline::gang::testing {

using cluster::NodeId;
using cluster::PodId;
using decision::PodTurn;
using decision::Turn;
using engine::testing::node;
using engine::testing::pod;
using engine::testing::PodBuilder;

using Texts = std::vector<std::string>;

/// A cluster of GPU nodes with what runs on them, and the turn of the one unit that waits.
class VictimsFixture : public engine::testing::DispatcherFixture {
 protected:
  static constexpr std::int64_t kNow = 100'000;

  VictimsFixture() { cluster_.set_budgets({}); }

  NodeId gpu_node(const std::string& name, int gpus = 8) {
    return add(node(name)
                   .allocatable("pods", "110")
                   .allocatable("nvidia.com/gpu", std::to_string(gpus))
                   .label("kubernetes.io/hostname", name));
  }
  static PodBuilder with_gpus(const std::string& name, int gpus, std::int32_t priority = 0) {
    return pod(name).request("nvidia.com/gpu", std::to_string(gpus)).priority(priority).started(kNow - 1000);
  }
  /// A running gang: a member on each of the nodes.
  std::vector<PodId> running(const std::string& name, int minimum, const std::vector<NodeId>& nodes,
                             const PodBuilder& member) {
    describe(name, minimum);
    std::vector<PodId> pods;
    for (const NodeId on : nodes) {
      PodBuilder one = member;
      one.pod().metadata.name = name + '-' + std::to_string(pods.size());
      pods.push_back(add(one.group(name), on));
    }
    return pods;
  }
  void describe(const std::string& name, int minimum, bool is_evicted_whole = false,
                std::optional<std::int32_t> priority = {}) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = minimum;
    group.disruption_mode = is_evicted_whole ? "PodGroup" : "Pod";
    group.priority = priority;
    cluster_.set_pod_group(group);
  }
  void switch_to(GroupVictims victims) { dispatcher().set_switches({.victims = victims}); }

  /// The turn of the one unit that waits.
  Turn turn() {
    dispatcher().set_now(Instant{} + Duration::seconds(kNow));
    const std::optional<decision::Unit> unit = dispatcher().next();
    EXPECT_TRUE(unit);
    return dispatcher().take(*unit);
  }
  Texts victims_of(const Turn& turn) const {
    Texts names;
    for (const PodTurn& each : turn.pods) {
      for (const PodId victim : each.victims) names.push_back(cluster_.pod_name(victim));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  /// Who leaves for a gang of so many members of higher priority.
  Texts victims_for(int members, int gpus, std::int32_t priority = 100) {
    describe("big", members);
    submit(pod("p").request("nvidia.com/gpu", std::to_string(gpus)).priority(priority), "big", members);
    return victims_of(last_ = turn());
  }
  void annotate(PodBuilder& builder, const std::string& name, const std::string& value) {
    builder.pod().metadata.annotations["loadline.dev/" + name] = value;
  }
  /// The victims leave, and what waited has its turn: nobody was evicted for nothing.
  void expect_start() {
    std::vector<PodId> leaving;
    for (const PodTurn& each : last_.pods) leaving.insert(leaving.end(), each.victims.begin(), each.victims.end());
    for (const PodId victim : leaving) {
      dispatcher().leaving(victim, decision::EvictionCause::kPreemption);
      cluster_.remove_pod(victim);
    }
    dispatcher().capacity_freed();
    const Turn then = turn();
    EXPECT_EQ(then.verdict, Verdict::kStarts);
    EXPECT_THAT(victims_of(then), ::testing::IsEmpty());
  }

  Turn last_;
};

}  // namespace loadline::gang::testing
