#include "objects/kube/policy/pod_disruption_budget_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

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

constexpr Field kConditionFields[] = {
    field<&DisruptionCondition::last_transition_time>("lastTransitionTime").required(),
    field<&DisruptionCondition::message>("message").required(),
    field<&DisruptionCondition::observed_generation>("observedGeneration"),
    field<&DisruptionCondition::reason>("reason").required(),
    field<&DisruptionCondition::status>("status").required(),
    field<&DisruptionCondition::type>("type").required(),
};
constexpr Schema kConditionSchema{"Condition", kConditionFields};

constexpr Field kPodDisruptionBudgetStatusFields[] = {
    field<&PodDisruptionBudget::conditions>("conditions", list_of(object(kConditionSchema))),
    field<&PodDisruptionBudget::current_healthy>("currentHealthy").pointer(),
    field<&PodDisruptionBudget::desired_healthy>("desiredHealthy").pointer(),
    field<&PodDisruptionBudget::disrupted_pods>("disruptedPods"),
    field<&PodDisruptionBudget::disruptions_allowed>("disruptionsAllowed"),
    field<&PodDisruptionBudget::expected_pods>("expectedPods").pointer(),
    field<&PodDisruptionBudget::observed_generation>("observedGeneration"),
};
constinit const Schema kPodDisruptionBudgetStatusSchema{"PodDisruptionBudgetStatus", kPodDisruptionBudgetStatusFields};

constexpr Field kPodDisruptionBudgetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&PodDisruptionBudget::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kPodDisruptionBudgetSpecSchema),
    part("status", kPodDisruptionBudgetStatusSchema),
};
constinit const Schema kPodDisruptionBudgetSchema{"PodDisruptionBudget", kPodDisruptionBudgetFields};

}  // namespace loadline::kube
