#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// A controller for each kind of the training-operator but MPIJobs: makes pods and services of the roles' replicas,
/// makes failed ones anew as their restart policies say, and writes the status.
/// Source: ReconcileJobs in pkg/controller.v1/common, training-operator v1.9.3.
[[nodiscard]] Controllers make_training_controllers();

}  // namespace loadline::operators
