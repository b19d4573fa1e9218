#include "kube/policy/pod_disruption_budget_schema.h"

#include "kube/decoder.h"
#include "kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kUnhealthyPodEvictionPolicyNames[] = {"AlwaysAllow", "IfHealthyBudget"};
constexpr Enumeration kUnhealthyPodEvictionPolicy{kUnhealthyPodEvictionPolicyNames};

constexpr Field kPodDisruptionBudgetSpecFields[] = {
    field<&PodDisruptionBudget::max_unavailable>("maxUnavailable"),
    field<&PodDisruptionBudget::min_available>("minAvailable"),
    field<&PodDisruptionBudget::selector>("selector", object(kLabelSelectorSchema)),
    known("unhealthyPodEvictionPolicy", one_of(kUnhealthyPodEvictionPolicy)),
};
constexpr Schema kPodDisruptionBudgetSpecSchema{"PodDisruptionBudgetSpec", kPodDisruptionBudgetSpecFields};

constexpr Field kPodDisruptionBudgetStatusFields[] = {
    known("conditions", list_of(object(kMetaConditionSchema))).merge_by("type"),
    known("currentHealthy", kInt32),
    known("desiredHealthy", kInt32),
    field<&PodDisruptionBudget::disrupted_pods>("disruptedPods"),
    field<&PodDisruptionBudget::disruptions_allowed>("disruptionsAllowed"),
    known("expectedPods", kInt32),
    known("observedGeneration", kInt64),
};
constexpr Schema kPodDisruptionBudgetStatusSchema{"PodDisruptionBudgetStatus", kPodDisruptionBudgetStatusFields};

constexpr Field kPodDisruptionBudgetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&PodDisruptionBudget::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kPodDisruptionBudgetSpecSchema),
    part("status", kPodDisruptionBudgetStatusSchema),
};
constinit const Schema kPodDisruptionBudgetSchema{"PodDisruptionBudget", kPodDisruptionBudgetFields};

}  // namespace loadline::kube
