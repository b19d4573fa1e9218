#include "brain/queue/kueue/pod_bounds.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using testing::QueueBuilder;
using testing::WorkloadBuilder;
using BoundedAmounts = std::vector<std::pair<std::string, std::string>>;

kube::ResourceList amounts(const BoundedAmounts& named) {
  kube::ResourceList list;
  for (const auto& [name, amount] : named) list[name] = *kube::Quantity::parse(amount);
  return list;
}

kube::LimitRange range_of(kube::LimitType type, const BoundedAmounts& min, const BoundedAmounts& max) {
  kube::LimitRange range;
  kube::LimitRangeItem& item = range.limits.emplace_back();
  item.type = type;
  item.min = amounts(min);
  item.max = amounts(max);
  return range;
}

PodBounds bounds(kube::LimitType type, const BoundedAmounts& min, const BoundedAmounts& max) {
  const kube::LimitRange range = range_of(type, min, max);
  const std::vector<const kube::LimitRange*> ranges = {&range};
  return bounds_of(ranges);
}

/// One pod set of one container, and an init container if it asks for something.
kube::KueueWorkload asking(const BoundedAmounts& requests, const BoundedAmounts& limits = {},
                           const BoundedAmounts& of_init = {}) {
  WorkloadBuilder workload("w", "q");
  workload.pods(1, {});
  kube::PodSpec& spec = workload.spec();
  spec.containers[0].resources.requests = amounts(requests);
  spec.containers[0].resources.limits = amounts(limits);
  if (!of_init.empty()) spec.init_containers.emplace_back().resources.requests = amounts(of_init);
  return workload;
}

// The texts are those of Kueue v0.19.2, pkg/scheduler/scheduler_test.go and pkg/workload/resources.go.
TEST(PodBounds, SayWhichContainerAsksForWhat) {
  EXPECT_EQ(pod_problem(asking({{"cpu", "3"}}, {{"cpu", "4"}}), {}), "");
  EXPECT_EQ(pod_problem(asking({{"cpu", "3"}, {"memory", "2Gi"}}, {{"cpu", "2"}, {"memory", "1Gi"}}), {}),
            "resources validation failed: spec.podSets[0].template.spec.containers[0]: Invalid value: "
            "[\"cpu\",\"memory\"]: requests must not exceed its limits");
  const PodBounds most = bounds(kube::LimitType::kContainer, {}, {{"cpu", "1500m"}});
  EXPECT_EQ(pod_problem(asking({{"cpu", "1500m"}}), most), "");
  EXPECT_EQ(pod_problem(asking({{"cpu", "2"}}), most),
            "resources didn't satisfy LimitRange constraints: spec.podSets[0].template.spec.containers[0]: Invalid "
            "value: [\"cpu\"]: requests must not be above the limitRange max");
  EXPECT_NE(pod_problem(asking({{"cpu", "1"}}, {{"cpu", "2"}}), most), "") << "a limit is bounded, too";
  const PodBounds least = bounds(kube::LimitType::kContainer, {{"cpu", "1"}}, {});
  EXPECT_EQ(pod_problem(asking({{"memory", "1Gi"}}), least), "") << "of what nothing is said, nothing is asked";
  EXPECT_EQ(
      pod_problem(asking({{"cpu", "500m"}}, {}, {{"cpu", "100m"}}), least),
      "resources didn't satisfy LimitRange constraints: "
      "[spec.podSets[0].template.spec.initContainers[0]: Invalid value: [\"cpu\"]: requests must not be below the "
      "limitRange min, spec.podSets[0].template.spec.containers[0]: Invalid value: [\"cpu\"]: requests must not be "
      "below the limitRange min]");
}

TEST(PodBounds, OfPodsAreAboutTheirSum) {
  kube::KueueWorkload two = asking({{"cpu", "1"}});
  auto spec = std::make_shared<kube::PodSpec>(*two.pod_sets[0].template_.spec);
  spec->containers.push_back(spec->containers[0]);
  two.pod_sets[0].template_.spec = spec;
  EXPECT_EQ(pod_problem(two, bounds(kube::LimitType::kPod, {}, {{"cpu", "2"}})), "");
  EXPECT_EQ(pod_problem(two, bounds(kube::LimitType::kPod, {}, {{"cpu", "1900m"}})),
            "resources didn't satisfy LimitRange constraints: spec.podSets[0].template.spec: Invalid value: [\"cpu\"]: "
            "requests must not be above the limitRange max");
  EXPECT_NE(pod_problem(two, bounds(kube::LimitType::kPod, {{"cpu", "3"}}, {})), "");
}

TEST(PodBounds, SeveralRangesBoundTogether) {
  const kube::LimitRange one = range_of(kube::LimitType::kContainer, {}, {{"cpu", "4"}});
  const kube::LimitRange other = range_of(kube::LimitType::kContainer, {}, {{"cpu", "2"}});
  const std::vector<const kube::LimitRange*> ranges = {&one, &other};
  EXPECT_EQ(bounds_of(ranges).container.max.at("cpu").to_string(), "2");
}

TEST(PodBounds, KeepAWorkloadOutOfRoundsUntilTheyAllowIt) {
  testing::World world;
  world.add(QueueBuilder("q").quotas("f", {{"cpu", "8"}}));
  world.scheduler.set_pod_bounds("ns", bounds(kube::LimitType::kContainer, {}, {{"cpu", "1"}}));
  const kube::KueueWorkload large = asking({{"cpu", "2"}});
  const WorkloadId id = world.submit(large);
  EXPECT_EQ(world.settle().at("w"), "pods refused");
  EXPECT_FALSE(world.runs(id));
  world.submit(large);
  EXPECT_FALSE(world.scheduler.is_due(world.now)) << "nothing has changed";
  world.scheduler.set_pod_bounds("ns", {});
  world.submit(large);
  EXPECT_EQ(world.settle().at("w"), "admitted f");
}

}  // namespace
}  // namespace loadline::queue::kueue
