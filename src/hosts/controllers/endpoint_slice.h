#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Writes the EndpointSlices of Services that select pods: for each family of addresses and each set of ports as few
/// writes as possible rather than as few slices, of at most 100 endpoints each. A Service without any has an empty one.
/// Source: k8s.io/endpointslice reconciler.go, v0.36.
std::unique_ptr<Controller> make_endpoint_slice_controller();

}  // namespace loadline::controllers
