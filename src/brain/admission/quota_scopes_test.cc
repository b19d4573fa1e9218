#include "brain/admission/quota_scopes.h"

#include <gtest/gtest.h>

namespace loadline::admission {
namespace {

using kube::LabelSelectorOperator;
using kube::ResourceQuotaScope;

bool in(ResourceQuotaScope scope, const kube::PodSpec& pod) {
  return in_scope({scope, LabelSelectorOperator::kExists, {}}, pod);
}

TEST(QuotaScopes, TerminatingMeansADeadline) {
  kube::PodSpec pod;
  EXPECT_FALSE(in(ResourceQuotaScope::kTerminating, pod));
  EXPECT_TRUE(in(ResourceQuotaScope::kNotTerminating, pod));
  pod.active_deadline_seconds = 0;
  EXPECT_TRUE(in(ResourceQuotaScope::kTerminating, pod));
  EXPECT_FALSE(in(ResourceQuotaScope::kNotTerminating, pod));
}

TEST(QuotaScopes, BestEffortMeansNoCpuOrMemory) {
  kube::PodSpec pod;
  pod.containers.resize(1);
  pod.containers[0].resources.requests.emplace("nvidia.com/gpu", kube::Quantity::of(1));
  EXPECT_TRUE(in(ResourceQuotaScope::kBestEffort, pod));
  pod.containers[0].resources.requests.emplace("cpu", kube::Quantity::of(1));
  EXPECT_FALSE(in(ResourceQuotaScope::kBestEffort, pod));
  EXPECT_TRUE(in(ResourceQuotaScope::kNotBestEffort, pod));
}

TEST(QuotaScopes, PriorityClassKnowsEveryOperator) {
  struct Case {
    LabelSelectorOperator op;
    std::string name;
    bool expected;
  };
  const std::vector<Case> cases = {
      {LabelSelectorOperator::kIn, "high", true},       {LabelSelectorOperator::kIn, "low", false},
      {LabelSelectorOperator::kIn, "", false},          {LabelSelectorOperator::kNotIn, "high", false},
      {LabelSelectorOperator::kNotIn, "low", true},     {LabelSelectorOperator::kNotIn, "", true},
      {LabelSelectorOperator::kExists, "low", true},    {LabelSelectorOperator::kExists, "", false},
      {LabelSelectorOperator::kDoesNotExist, "", true}, {LabelSelectorOperator::kDoesNotExist, "low", false},
  };
  for (const Case& item : cases) {
    kube::PodSpec pod;
    pod.priority_class_name = item.name;
    EXPECT_EQ(in_scope({ResourceQuotaScope::kPriorityClass, item.op, {"high", "highest"}}, pod), item.expected)
        << static_cast<int>(item.op) << " " << item.name;
  }
}

TEST(QuotaScopes, CrossNamespaceAffinityMeansNamedOrSelectedNamespaces) {
  kube::PodSpec pod;
  EXPECT_FALSE(in(ResourceQuotaScope::kCrossNamespacePodAffinity, pod));
  pod.affinity.emplace();
  pod.affinity->pod_anti.emplace();
  pod.affinity->pod_anti->preferred.resize(1);
  EXPECT_FALSE(in(ResourceQuotaScope::kCrossNamespacePodAffinity, pod));
  pod.affinity->pod_anti->preferred[0].term.namespace_selector.emplace();
  EXPECT_TRUE(in(ResourceQuotaScope::kCrossNamespacePodAffinity, pod));
}

TEST(QuotaScopes, OfClaimsAreByVolumeAttributesClass) {
  kube::PersistentVolumeClaimSpec claim;
  const kube::ScopedResourceSelectorRequirement gold{
      ResourceQuotaScope::kVolumeAttributesClass, LabelSelectorOperator::kIn, {"gold"}};
  EXPECT_FALSE(in_scope(gold, claim));
  claim.volume_attributes_class_name = "gold";
  EXPECT_TRUE(in_scope(gold, claim));
  EXPECT_FALSE(in_scope({ResourceQuotaScope::kNotTerminating, LabelSelectorOperator::kExists, {}}, claim));
  EXPECT_FALSE(in_scope(gold, kube::PodSpec()));
}

}  // namespace
}  // namespace loadline::admission
