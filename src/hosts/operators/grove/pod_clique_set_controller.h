#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Makes what PodCliqueSets describe: services, autoscalers, PodCliques, scaling groups and gangs; gives up replicas
/// that have had too few pods for too long, and leads replicas to new templates, one after the other.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podcliqueset.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_pod_clique_set_controller();

}  // namespace loadline::operators
