#pragma once

#include <memory>

#include "brain/workloads/gates.h"
#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Runs the pods of Jobs, NonIndexed and Indexed, until they are complete or have failed. See job_sync.h.
std::unique_ptr<Controller> make_job_controller(const workloads::Gates& gates = {});

/// Lets go of pods whose Job is gone or over while they are still tracked, so that they can be deleted. Its keys are
/// pods. Source: syncOrphanPod in pkg/controller/job/job_controller.go, v1.36.
std::unique_ptr<Controller> make_job_orphan_controller();

}  // namespace loadline::controllers
