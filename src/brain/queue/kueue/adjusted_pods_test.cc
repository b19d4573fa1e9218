#include "brain/queue/kueue/adjusted_pods.h"

#include <gtest/gtest.h>

namespace loadline::queue::kueue {
namespace {

using kube::Quantity;

kube::PodSpec spec_with(kube::ResourceList requests, kube::ResourceList limits) {
  kube::PodSpec spec;
  spec.containers.emplace_back();
  spec.containers.back().resources.requests = std::move(requests);
  spec.containers.back().resources.limits = std::move(limits);
  return spec;
}

kube::ResourceList adjusted_requests(const kube::PodSpec& spec, const PodDefaults& defaults = {}) {
  return adjusted(std::make_shared<const kube::PodSpec>(spec), defaults, nullptr)
      ->containers.front()
      .resources.requests;
}

TEST(AdjustedPods, LeaveASpecAloneThatSaysAll) {
  const auto spec = std::make_shared<const kube::PodSpec>(spec_with({{"cpu", Quantity::of(1)}}, {}));
  EXPECT_EQ(adjusted(spec, {}, nullptr), spec);
}

TEST(AdjustedPods, TakeLimitsForRequestsThatAreMissing) {
  const kube::ResourceList requests = adjusted_requests(
      spec_with({{"cpu", Quantity::of(1)}}, {{"cpu", Quantity::of(4)}, {"nvidia.com/gpu", Quantity::of(2)}}));
  EXPECT_EQ(requests, (kube::ResourceList{{"cpu", Quantity::of(1)}, {"nvidia.com/gpu", Quantity::of(2)}}));
}

kube::LimitRange range_of(kube::LimitType type, kube::ResourceList limits, kube::ResourceList requests) {
  kube::LimitRange range;
  kube::LimitRangeItem& item = range.limits.emplace_back();
  item.type = type;
  item.default_limit = std::move(limits);
  item.default_request = std::move(requests);
  return range;
}

TEST(AdjustedPods, TakeWhatTheFirstLimitRangeSays) {
  const kube::LimitRange first = range_of(kube::LimitType::kContainer, {}, {{"cpu", Quantity::of(2)}});
  const kube::LimitRange second =
      range_of(kube::LimitType::kContainer, {{"memory", Quantity::of(64)}}, {{"cpu", Quantity::of(3)}});
  const kube::LimitRange of_pods = range_of(kube::LimitType::kPod, {}, {{"cpu", Quantity::of(9)}});
  const kube::LimitRange* const ranges[] = {&first, &second, &of_pods};
  const PodDefaults defaults = defaults_of(ranges);
  EXPECT_EQ(adjusted_requests(spec_with({}, {}), defaults),
            (kube::ResourceList{{"cpu", Quantity::of(2)}, {"memory", Quantity::of(64)}}));
  EXPECT_EQ(defaults.pod_requests, (kube::ResourceList{{"cpu", Quantity::of(9)}}));
}

TEST(AdjustedPods, HaveTheOverheadOfTheirClassUnlessTheySayIt) {
  kube::RuntimeClass heavy;
  heavy.overhead.emplace().pod_fixed = {{"cpu", Quantity::of(1)}};
  kube::PodSpec spec = spec_with({}, {});
  EXPECT_EQ(adjusted(std::make_shared<const kube::PodSpec>(spec), {}, &heavy)->overhead, heavy.overhead->pod_fixed);
  spec.overhead = {{"cpu", Quantity::of(7)}};
  EXPECT_EQ(adjusted(std::make_shared<const kube::PodSpec>(spec), {}, &heavy)->overhead, spec.overhead);
}

}  // namespace
}  // namespace loadline::queue::kueue
