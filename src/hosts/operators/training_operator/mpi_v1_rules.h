#pragma once

#include <string>

#include "objects/kube/kubeflow/training_job.h"

namespace loadline::operators {

/// What the training-operator finds wrong with an MPIJob of kubeflow.org/v1, in its words; empty: nothing. It has no
/// webhook: such a job is kept, and never runs.
/// Source: ValidateV1MpiJobSpec in pkg/apis/kubeflow.org/v1, training-operator v1.9.3.
[[nodiscard]] std::string fault_of_mpi_v1_job(const kube::MpiJob& job);

}  // namespace loadline::operators
