#include "objects/kube/pod_resources.h"

#include <gtest/gtest.h>

namespace loadline::kube {
namespace {

ResourceList amounts(std::initializer_list<std::pair<const char*, const char*>> entries) {
  ResourceList result;
  for (const auto& [name, text] : entries) result.emplace(name, *Quantity::parse(text));
  return result;
}

Container container(std::string name, ResourceList requests, ResourceList limits = {}, bool sidecar = false) {
  Container result;
  result.name = std::move(name);
  result.resources.requests = std::move(requests);
  result.resources.limits = std::move(limits);
  if (sidecar) result.restart_policy = ContainerRestartPolicy::kAlways;
  return result;
}

TEST(PodResources, AreTheSumOfContainersOrThePeakOfInitContainers) {
  PodSpec spec;
  spec.containers = {container("a", amounts({{"cpu", "1"}, {"memory", "1Gi"}})),
                     container("b", amounts({{"cpu", "2"}}))};
  EXPECT_EQ(pod_requests(spec, nullptr, {}), amounts({{"cpu", "3"}, {"memory", "1Gi"}}));
  spec.init_containers = {container("i", amounts({{"cpu", "1"}, {"memory", "4Gi"}}))};
  EXPECT_EQ(pod_requests(spec, nullptr, {}), amounts({{"cpu", "3"}, {"memory", "4Gi"}}));
}

TEST(PodResources, CountSidecarsWithEverythingThatStartsAfterThem) {
  PodSpec spec;
  spec.containers = {container("a", amounts({{"cpu", "1"}}))};
  spec.init_containers = {
      container("early", amounts({{"cpu", "3"}})), container("s1", amounts({{"cpu", "1"}}), {}, true),
      container("late", amounts({{"cpu", "4"}})), container("s2", amounts({{"cpu", "2"}}), {}, true)};
  // Running: 1 + 1 + 2 = 4; while `late` initialises: 4 + 1 = 5.
  EXPECT_EQ(pod_requests(spec, nullptr, {}), amounts({{"cpu", "5"}}));
}

TEST(PodResources, AddOverheadToRequestsAndToLimitsThatAreSet) {
  PodSpec spec;
  spec.overhead = amounts({{"cpu", "250m"}, {"memory", "64Mi"}});
  spec.containers = {container("a", amounts({{"cpu", "1"}}), amounts({{"cpu", "2"}}))};
  EXPECT_EQ(pod_requests(spec, nullptr, {}), amounts({{"cpu", "1250m"}, {"memory", "64Mi"}}));
  EXPECT_EQ(pod_limits(spec, nullptr, {}), amounts({{"cpu", "2250m"}}));
  EXPECT_EQ(pod_requests(spec, nullptr, {.exclude_overhead = true}), amounts({{"cpu", "1"}}));
}

TEST(PodResources, OfThePodLevelReplaceTheSum) {
  PodSpec spec;
  spec.containers = {container("a", amounts({{"cpu", "1"}, {"nvidia.com/gpu", "1"}}))};
  spec.resources.emplace();
  spec.resources->requests = amounts({{"cpu", "4"}, {"nvidia.com/gpu", "8"}});
  EXPECT_EQ(pod_requests(spec, nullptr, {}), amounts({{"cpu", "4"}, {"nvidia.com/gpu", "1"}}));
  EXPECT_EQ(pod_requests(spec, nullptr, {.skip_pod_level_resources = true}),
            amounts({{"cpu", "1"}, {"nvidia.com/gpu", "1"}}));
}

TEST(PodResources, StandInsFillWhatContainersDoNotMention) {
  const ResourceList stand_ins = amounts({{"cpu", "100m"}, {"memory", "200Mi"}});
  PodSpec spec;
  spec.containers = {container("a", amounts({{"cpu", "0"}})), container("b", {})};
  EXPECT_EQ(pod_requests(spec, nullptr, {.non_missing_container_requests = &stand_ins}),
            amounts({{"cpu", "100m"}, {"memory", "400Mi"}}));
}

TEST(PodResources, OfAResizeAreTheLargestOfWhatIsWantedAndHeld) {
  Pod pod;
  auto spec = std::make_shared<PodSpec>();
  spec->containers = {container("a", amounts({{"cpu", "4"}}), amounts({{"cpu", "4"}}))};
  pod.spec = spec;
  ContainerStatus status;
  status.name = "a";
  status.allocated_resources = amounts({{"cpu", "2"}});
  status.resources.emplace();
  status.resources->requests = amounts({{"cpu", "3"}});
  status.resources->limits = amounts({{"cpu", "1"}});
  pod.status.container_statuses = {status};
  const PodResourcesOptions resized{.use_status_resources = true};
  EXPECT_EQ(pod_requests(*spec, &pod.status, resized), amounts({{"cpu", "4"}}));
  EXPECT_EQ(pod_requests(*spec, &pod.status, {}), amounts({{"cpu", "4"}}));
  pod.status.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
  EXPECT_EQ(pod_requests(*spec, &pod.status, resized), amounts({{"cpu", "3"}}));
  EXPECT_EQ(pod_limits(*spec, &pod.status, resized), amounts({{"cpu", "1"}}));
  pod.status.conditions[0].reason = "Deferred";
  EXPECT_EQ(pod_requests(*spec, &pod.status, resized), amounts({{"cpu", "4"}}));
}

TEST(PodQos, FollowsRequestsAndLimits) {
  struct Case {
    ResourceList requests, limits;
    QosClass expected;
  };
  const std::vector<Case> cases = {
      {{}, {}, QosClass::kBestEffort},
      {amounts({{"nvidia.com/gpu", "1"}}), amounts({{"nvidia.com/gpu", "1"}}), QosClass::kBestEffort},
      {amounts({{"cpu", "0"}}), {}, QosClass::kBestEffort},
      {amounts({{"cpu", "1"}}), {}, QosClass::kBurstable},
      {amounts({{"cpu", "1"}}), amounts({{"cpu", "1"}}), QosClass::kBurstable},
      {amounts({{"cpu", "1"}, {"memory", "1"}}), amounts({{"cpu", "1"}, {"memory", "1"}}), QosClass::kGuaranteed},
      {amounts({{"cpu", "1"}, {"memory", "1"}}), amounts({{"cpu", "2"}, {"memory", "1"}}), QosClass::kBurstable},
  };
  for (const Case& item : cases) {
    PodSpec spec;
    spec.containers = {container("a", item.requests, item.limits)};
    EXPECT_EQ(pod_qos(spec), item.expected);
  }
}

TEST(PodQos, OfPodLevelResourcesIgnoresContainers) {
  PodSpec spec;
  spec.containers = {container("a", {})};
  spec.resources.emplace();
  spec.resources->requests = amounts({{"cpu", "1"}, {"memory", "1"}});
  EXPECT_EQ(pod_qos(spec), QosClass::kBurstable);
  spec.resources->limits = spec.resources->requests;
  EXPECT_EQ(pod_qos(spec), QosClass::kGuaranteed);
}

}  // namespace
}  // namespace loadline::kube
