#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Keeps the status of PodDisruptionBudgets: how many of their pods are healthy, and how many may go. What the numbers
/// mean is said in workloads/disruption_budget.h. A pod that may be evicted, as status.disruptedPods says, does not
/// count as healthy for two minutes; then it is taken to stay.
/// Source: pkg/controller/disruption, v1.36.
std::unique_ptr<Controller> make_disruption_budget_controller();

/// Takes back a pod's condition DisruptionTarget if, two minutes later, no client has begun to delete the pod. Its keys
/// are pods.
std::unique_ptr<Controller> make_stale_disruption_controller();

}  // namespace loadline::controllers
