#pragma once

#include <string>

#include "objects/kube/kubeflow/training_job.h"

namespace loadline::operators {

/// What the operator finds wrong with a job, as it tells it: "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: …".
/// Several faults stand in brackets. Empty: nothing is wrong. It does nothing for a job with faults.
/// Source: pkg/apis/kubeflow/validation, mpi-operator v0.7.0.
[[nodiscard]] std::string faults_of_mpi_job(const kube::MpiJob& job);

}  // namespace loadline::operators
