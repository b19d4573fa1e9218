#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Gives PodCliques their pods, lets those be scheduled that their gang lists, and those start whose parents are ready.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podclique.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_pod_clique_controller();

}  // namespace loadline::operators
