#include "hosts/operators/mpi_operator/operator.h"

#include "hosts/operators/mpi_operator/mpi_job.h"

namespace loadline::operators {

Operator mpi_operator() { return {"mpi-operator", make_mpi_controllers, nullptr}; }

}  // namespace loadline::operators
