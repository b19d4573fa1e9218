#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Gives a RayJob its cluster and what submits it, follows what becomes of it, tries again, and removes the cluster
/// when it is no longer needed. What Ray says of it: ray_dashboard.h.
/// Source: ray-operator/controllers/ray/rayjob_controller.go, kuberay v1.6.2.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_ray_job_controller();

}  // namespace loadline::operators
