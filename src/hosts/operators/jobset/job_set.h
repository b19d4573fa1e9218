#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Makes the Jobs of JobSets, restarts or fails them as their policies say, and writes their status.
/// Which Jobs there should be: brain/workloads/job_set.h.
/// Source: kubernetes-sigs/jobset v0.12.0, pkg/controllers/jobset_controller.go.
std::unique_ptr<controllers::Controller> make_job_set_controller();

}  // namespace loadline::operators
