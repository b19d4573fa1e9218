#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Gives a RayCluster its head service, its head and its workers, replaces pods that are over, follows the replicas of
/// groups and their suspension, and writes the status.
/// Source: kuberay v1.6.2, ray-operator/controllers/ray/raycluster_controller.go.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_ray_cluster_controller();

}  // namespace loadline::operators
