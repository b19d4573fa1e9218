#pragma once

#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kPodDisruptionBudgetSchema;
extern const Schema kPodDisruptionBudgetStatusSchema;  ///< of a PodDisruptionBudget itself

}  // namespace loadline::kube
