#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// The controller of MPIJobs of kubeflow.org/v1; those of v2beta1 are the mpi-operator's.
/// Source: pkg/controller.v1/mpi, training-operator v1.9.3.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_mpi_v1_controller();

}  // namespace loadline::operators
