#include "brain/admission/limit_range.h"

#include <gtest/gtest.h>

#include "brain/admission/testing/amounts.h"

namespace loadline::admission {
namespace {

using kube::LimitType;
using kube::Quantity;
using kube::ResourceList;

kube::Container container(std::string name, ResourceList requests, ResourceList limits) {
  kube::Container result;
  result.name = std::move(name);
  result.resources.requests = std::move(requests);
  result.resources.limits = std::move(limits);
  return result;
}

kube::LimitRange range(kube::LimitRangeItem item) {
  kube::LimitRange result;
  result.metadata.name = "limits";
  result.limits = {std::move(item)};
  return result;
}

std::string complaint(const kube::LimitRange& limit_range, const kube::PodSpec& spec) {
  const auto rejection = check_bounds(limit_range, spec);
  return rejection ? aggregate(rejection->details) : "";
}

TEST(LimitRange, DefaultsFillInWhatContainersLeaveOut) {
  kube::LimitRangeItem item;
  item.default_limit = amounts({{"cpu", "1"}, {"memory", "1Gi"}});
  item.default_request = amounts({{"cpu", "500m"}, {"memory", "512Mi"}});
  kube::PodSpec spec;
  spec.containers = {container("app", amounts({{"cpu", "100m"}}), {}), container("side", {}, amounts({{"cpu", "2"}}))};
  spec.init_containers = {container("init", {}, {})};
  EXPECT_EQ(apply_defaults(range(item), spec),
            "LimitRanger plugin set: memory request for container app; cpu, memory limit for container app; "
            "cpu, memory request for container side; memory limit for container side; "
            "cpu, memory request for init container init; cpu, memory limit for init container init");
  EXPECT_EQ(spec.containers[0].resources.requests, amounts({{"cpu", "100m"}, {"memory", "512Mi"}}));
  EXPECT_EQ(spec.containers[1].resources.limits, amounts({{"cpu", "2"}, {"memory", "1Gi"}}));
  EXPECT_EQ(spec.init_containers[0].resources.requests, amounts({{"cpu", "500m"}, {"memory", "512Mi"}}));
  EXPECT_EQ(apply_defaults(range(item), spec), "");
}

TEST(LimitRange, DefaultsOfOtherTypesDoNotReachContainers) {
  kube::LimitRangeItem item;
  item.type = LimitType::kPod;
  item.default_limit = amounts({{"cpu", "1"}});
  kube::PodSpec spec;
  spec.containers = {container("app", {}, {})};
  EXPECT_EQ(apply_defaults(range(item), spec), "");
}

TEST(LimitRange, BoundsAreToldInUpstreamsWords) {
  struct Case {
    ResourceList min, max, ratio, requests, limits;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {amounts({{"memory", "1Gi"}}), {}, {}, amounts({{"memory", "1Gi"}}), {}, ""},
      {amounts({{"memory", "1Gi"}}),
       {},
       {},
       amounts({{"memory", "512Mi"}}),
       {},
       "minimum memory usage per Container is 1Gi, but request is 512Mi"},
      {amounts({{"memory", "1Gi"}}),
       {},
       {},
       {},
       {},
       "minimum memory usage per Container is 1Gi.  No request is specified"},
      {amounts({{"cpu", "200m"}}),
       {},
       {},
       amounts({{"cpu", "300m"}}),
       amounts({{"cpu", "100m"}}),
       "minimum cpu usage per Container is 200m, but limit is 100m"},
      {{}, amounts({{"cpu", "2"}}), {}, {}, amounts({{"cpu", "2"}}), ""},
      {{},
       amounts({{"cpu", "2"}}),
       {},
       amounts({{"cpu", "1"}}),
       {},
       "maximum cpu usage per Container is 2.  No limit is specified"},
      {{},
       amounts({{"cpu", "2"}}),
       {},
       {},
       amounts({{"cpu", "2001m"}}),
       "maximum cpu usage per Container is 2, but limit is 2001m"},
      {{},
       amounts({{"cpu", "2"}}),
       {},
       amounts({{"cpu", "3"}}),
       amounts({{"cpu", "2"}}),
       "maximum cpu usage per Container is 2, but request is 3"},
      {{}, {}, amounts({{"cpu", "2"}}), amounts({{"cpu", "1"}}), amounts({{"cpu", "2"}}), ""},
      {{},
       {},
       amounts({{"cpu", "2"}}),
       amounts({{"cpu", "1"}}),
       amounts({{"cpu", "2500m"}}),
       "cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000"},
      {{},
       {},
       amounts({{"cpu", "2"}}),
       {},
       amounts({{"cpu", "1"}}),
       "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"},
      {{},
       {},
       amounts({{"cpu", "1500m"}}),
       amounts({{"cpu", "1"}}),
       {},
       "cpu max limit to request ratio per Container is 1500m, but no limit is specified or limit is 0"},
      {amounts({{"memory", "1Gi"}}),
       amounts({{"cpu", "1"}}),
       {},
       amounts({{"memory", "512Mi"}}),
       amounts({{"cpu", "2"}}),
       "[minimum memory usage per Container is 1Gi, but request is 512Mi, maximum cpu usage per Container is 1, but "
       "limit is 2]"},
  };
  for (const Case& item : cases) {
    kube::LimitRangeItem bounds;
    bounds.min = item.min;
    bounds.max = item.max;
    bounds.max_limit_request_ratio = item.ratio;
    kube::PodSpec spec;
    spec.containers = {container("app", item.requests, item.limits)};
    EXPECT_EQ(complaint(range(bounds), spec), item.expected);
    spec.init_containers = std::exchange(spec.containers, {});
    EXPECT_EQ(complaint(range(bounds), spec), item.expected);
  }
}

TEST(LimitRange, BoundsOfThePodHoldForTheSumOfContainersWithoutOverhead) {
  kube::LimitRangeItem item;
  item.type = LimitType::kPod;
  item.max = amounts({{"cpu", "2"}});
  kube::PodSpec spec;
  spec.overhead = amounts({{"cpu", "5"}});
  spec.containers = {container("a", amounts({{"cpu", "1"}}), amounts({{"cpu", "1"}})),
                     container("b", amounts({{"cpu", "1"}}), amounts({{"cpu", "1"}}))};
  EXPECT_EQ(complaint(range(item), spec), "");
  spec.containers.push_back(container("c", {}, amounts({{"cpu", "500m"}})));
  EXPECT_EQ(complaint(range(item), spec), "maximum cpu usage per Pod is 2, but limit is 2500m");
  spec.resources.emplace();
  spec.resources->limits = amounts({{"cpu", "2"}});
  EXPECT_EQ(complaint(range(item), spec), "");
}

TEST(LimitRange, BoundsOfClaimsHoldForTheirRequests) {
  kube::LimitRangeItem item;
  item.type = LimitType::kPersistentVolumeClaim;
  item.min = amounts({{"storage", "1Gi"}});
  item.max = amounts({{"storage", "10Gi"}});
  kube::PersistentVolumeClaimSpec claim;
  claim.requests = amounts({{"storage", "20Gi"}});
  const auto rejection = check_bounds(range(item), claim);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(aggregate(rejection->details),
            "maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 20Gi");
  claim.requests = amounts({{"storage", "5Gi"}});
  EXPECT_FALSE(check_bounds(range(item), claim));
}

}  // namespace
}  // namespace loadline::admission
