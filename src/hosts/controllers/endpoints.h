#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Writes the Endpoints of Services that select pods: one subset for each set of ports, with the addresses of pods that
/// are ready and of those that are not. At most 1000 addresses, the ready ones first; Endpoints that are cut off say
/// so in the annotation endpoints.kubernetes.io/over-capacity.
/// Source: pkg/controller/endpoint, v1.36.
std::unique_ptr<Controller> make_endpoints_controller();

}  // namespace loadline::controllers
