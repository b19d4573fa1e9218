#include "objects/kube/policy/pod_disruption_budget_schema.h"

#include "objects/kube/core/pod.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kUnhealthyPodEvictionPolicyNames[] = {"AlwaysAllow", "IfHealthyBudget"};
constexpr Enumeration kUnhealthyPodEvictionPolicy{kUnhealthyPodEvictionPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<UnhealthyPodEvictionPolicy> = &kUnhealthyPodEvictionPolicy;

constexpr Field kPodDisruptionBudgetSpecFields[] = {
    field<&PodDisruptionBudget::max_unavailable>("maxUnavailable"),
    field<&PodDisruptionBudget::min_available>("minAvailable"),
    field<&PodDisruptionBudget::selector>("selector", kLabelSelectorSchema),
    field<&PodDisruptionBudget::unhealthy_pod_eviction_policy>("unhealthyPodEvictionPolicy"),
};
constexpr Schema kPodDisruptionBudgetSpecSchema{"io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
                                                kPodDisruptionBudgetSpecFields};

constexpr Field kPodDisruptionBudgetStatusFields[] = {
    field<&PodDisruptionBudget::conditions>("conditions", kMetaConditionSchema),
    field<&PodDisruptionBudget::current_healthy>("currentHealthy").pointer(),
    field<&PodDisruptionBudget::desired_healthy>("desiredHealthy").pointer(),
    field<&PodDisruptionBudget::disrupted_pods>("disruptedPods"),
    field<&PodDisruptionBudget::disruptions_allowed>("disruptionsAllowed"),
    field<&PodDisruptionBudget::expected_pods>("expectedPods").pointer(),
    field<&PodDisruptionBudget::observed_generation>("observedGeneration"),
};
constinit const Schema kPodDisruptionBudgetStatusSchema{"io.k8s.api.policy.v1.PodDisruptionBudgetStatus",
                                                        kPodDisruptionBudgetStatusFields};

constexpr Field kPodDisruptionBudgetFields[] = {
    field<&PodDisruptionBudget::metadata>("metadata", kObjectMetaSchema),
    part("spec", kPodDisruptionBudgetSpecSchema),
    part("status", kPodDisruptionBudgetStatusSchema),
};
constinit const Schema kPodDisruptionBudgetSchema{"io.k8s.api.policy.v1.PodDisruptionBudget",
                                                  kPodDisruptionBudgetFields};

}  // namespace loadline::kube
