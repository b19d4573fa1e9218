#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The operator of MPIJobs of kubeflow.org/v2beta1. It has no webhooks. Source: kubeflow/mpi-operator v0.7.0.
[[nodiscard]] Operator mpi_operator();

}  // namespace loadline::operators
