#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Makes the workers of each leader of a LeaderWorkerSet, and has a group made anew whose pods restart or go.
/// Source: kubernetes-sigs/lws v0.9.0, pkg/controllers/pod_controller.go.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_leader_pod_controller();

}  // namespace loadline::operators
