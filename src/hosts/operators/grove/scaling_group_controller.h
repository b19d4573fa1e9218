#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Gives PodCliqueScalingGroups a PodClique for each of their cliques and replicas.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podcliquescalinggroup.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_scaling_group_controller();

}  // namespace loadline::operators
