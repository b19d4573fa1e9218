#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The controller of MPIJobs: makes a Service, a list of hosts, a key for SSH, the workers, and the launcher's Job,
/// whose end is the MPIJob's. Source: syncHandler in pkg/controller/mpi_job_controller.go, mpi-operator v0.7.0.
[[nodiscard]] Controllers make_mpi_controllers();

}  // namespace loadline::operators
