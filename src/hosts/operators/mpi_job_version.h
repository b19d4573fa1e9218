#pragma once

#include "foundation/document/value.h"

namespace loadline::operators {

/// Whether an MPIJob is the mpi-operator's: somebody wrote it as kubeflow.org/v2beta1. Others are the
/// training-operator's, whose MPIJobs are kubeflow.org/v1. Both are one resource, which the API server tells in
/// whatever version it is asked for; that of the writers is in metadata.managedFields.
[[nodiscard]] bool is_of_mpi_operator(const document::Value& job);

}  // namespace loadline::operators
