#include "brain/admission/resource_quota.h"

#include <gtest/gtest.h>

#include "brain/admission/testing/amounts.h"

namespace loadline::admission {
namespace {

using kube::Quantity;
using kube::ResourceList;

kube::ResourceQuota quota(std::string name, ResourceList hard) {
  kube::ResourceQuota result;
  result.metadata.name = std::move(name);
  result.metadata.namespace_ = "team";
  result.hard = std::move(hard);
  return result;
}

kube::PodSpec pod(ResourceList requests, ResourceList limits = {}) {
  kube::PodSpec spec;
  spec.containers.resize(1);
  spec.containers[0].name = "app";
  spec.containers[0].resources.requests = std::move(requests);
  spec.containers[0].resources.limits = std::move(limits);
  return spec;
}

std::string admit(QuotaLedger& ledger, const kube::PodSpec& spec) {
  const auto rejection = ledger.admit(ledger.charge_of_pod("team", spec, nullptr));
  return rejection ? aggregate(rejection->details) : "";
}

TEST(ResourceQuota, IsExceededInUpstreamsWords) {
  QuotaLedger ledger({quota("q", amounts({{"cpu", "2"}, {"requests.memory", "4Gi"}, {"pods", "10"}}))});
  EXPECT_EQ(admit(ledger, pod(amounts({{"cpu", "1500m"}, {"memory", "3Gi"}}))), "");
  EXPECT_EQ(admit(ledger, pod(amounts({{"cpu", "1"}, {"memory", "2Gi"}}))),
            "exceeded quota: q, requested: cpu=1,requests.memory=2Gi, used: cpu=1500m,requests.memory=3Gi, "
            "limited: cpu=2,requests.memory=4Gi");
  EXPECT_EQ(
      admit(ledger, pod(amounts({{"cpu", "500m"}, {"memory", "2Gi"}}))),
      "exceeded quota: q, requested: requests.memory=2Gi, used: requests.memory=3Gi, limited: requests.memory=4Gi");
  EXPECT_EQ(ledger.used("team", "q")->find("pods")->second, Quantity::of(1));
}

TEST(ResourceQuota, LimitsGpusThroughTheirRequests) {
  QuotaLedger ledger({quota("gpus", amounts({{"requests.nvidia.com/gpu", "4"}, {"limits.nvidia.com/gpu", "1"}}))});
  EXPECT_EQ(admit(ledger, pod(amounts({{"nvidia.com/gpu", "4"}}))), "");
  EXPECT_EQ(admit(ledger, pod(amounts({{"nvidia.com/gpu", "1"}}))),
            "exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, limited: "
            "requests.nvidia.com/gpu=4");
  EXPECT_EQ(admit(ledger, pod({})), "");
}

TEST(ResourceQuota, OnCpuAndMemoryInsistsThatContainersStateThem) {
  QuotaLedger ledger(
      {quota("q", amounts({{"limits.cpu", "2"}, {"requests.memory", "4Gi"}, {"limits.ephemeral-storage", "1"}}))});
  kube::PodSpec spec = pod(amounts({{"memory", "1Gi"}}));
  spec.containers.push_back({});
  spec.containers.back().name = "a";
  EXPECT_EQ(admit(ledger, spec), "failed quota: q: must specify limits.cpu for: a,app; requests.memory for: a");
  spec.resources.emplace();
  spec.resources->requests = amounts({{"memory", "1Gi"}});
  EXPECT_EQ(admit(ledger, spec), "");
}

TEST(ResourceQuota, ChargesAllQuotasOrNone) {
  QuotaLedger ledger({quota("a", amounts({{"pods", "5"}})), quota("b", amounts({{"pods", "1"}}))});
  EXPECT_EQ(admit(ledger, pod({})), "");
  EXPECT_EQ(admit(ledger, pod({})), "exceeded quota: b, requested: pods=1, used: pods=1, limited: pods=1");
  EXPECT_EQ(ledger.used("team", "a")->find("pods")->second, Quantity::of(1));
}

TEST(ResourceQuota, AppliesOnlyWithinItsScopes) {
  kube::ResourceQuota scoped = quota("best-effort", amounts({{"pods", "0"}}));
  scoped.scopes = {kube::ResourceQuotaScope::kBestEffort};
  QuotaLedger ledger({scoped});
  EXPECT_EQ(admit(ledger, pod(amounts({{"cpu", "1"}}))), "");
  EXPECT_EQ(admit(ledger, pod({})), "exceeded quota: best-effort, requested: pods=1, used: pods=0, limited: pods=0");

  kube::Service service;
  service.metadata.namespace_ = "team";
  kube::ResourceQuota services = quota("services", amounts({{"services", "0"}}));
  services.scopes = {kube::ResourceQuotaScope::kNotTerminating};
  QuotaLedger other({services});
  EXPECT_FALSE(other.admit(other.charge_of(service)));
}

TEST(ResourceQuota, OfAnotherNamespaceDoesNotApply) {
  QuotaLedger ledger({quota("q", amounts({{"pods", "0"}}))});
  EXPECT_FALSE(ledger.admit(ledger.charge_of_pod("other", pod({}), nullptr)));
}

TEST(ResourceQuota, GivesBackNoMoreThanIsUsed) {
  QuotaLedger ledger({quota("q", amounts({{"cpu", "2"}}))});
  const QuotaCharge charge = ledger.charge_of_pod("team", pod(amounts({{"cpu", "2"}})), nullptr);
  EXPECT_FALSE(ledger.admit(charge));
  EXPECT_TRUE(ledger.admit(charge));
  ledger.release(charge);
  EXPECT_FALSE(ledger.admit(charge));
  ledger.release(charge);
  ledger.release(charge);
  EXPECT_TRUE(ledger.used("team", "q")->find("cpu")->second.is_zero());
}

TEST(ResourceQuota, OfALiveClusterIsTakenAtItsWordElseCounted) {
  kube::ResourceQuota live = quota("q", amounts({{"pods", "9"}, {"count/pods", "9"}}));
  live.metadata.uid = "u";
  live.status_used = amounts({{"pods", "7"}});
  QuotaLedger ledger({live});
  ledger.count_existing(ledger.charge_of_pod("team", pod({}), nullptr));
  EXPECT_EQ(ledger.used("team", "q")->find("pods")->second, Quantity::of(7));
  EXPECT_EQ(ledger.used("team", "q")->find("count/pods")->second, Quantity::of(1));
}

}  // namespace
}  // namespace loadline::admission
