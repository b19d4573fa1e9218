#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Makes a RayJob at each time that a RayCronJob names; of those that were missed, one.
/// Source: ray-operator/controllers/ray/raycronjob_controller.go, kuberay v1.6.2.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_ray_cron_job_controller();

}  // namespace loadline::operators
