#pragma once

#include <string>

#include "brain/workloads/training_job.h"

namespace loadline::operators {

/// Why the file that lists all workers of an MPIJob cannot be made: it would be larger than a ConfigMap may be. Empty:
/// it can. Costs the same for any number of workers.
[[nodiscard]] std::string host_list_problem(const workloads::TrainingView& job);

}  // namespace loadline::operators
