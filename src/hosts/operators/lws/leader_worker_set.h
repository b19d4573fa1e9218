#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Keeps the StatefulSet of a LeaderWorkerSet's leaders, the history of its template, its Service and its status.
/// Source: kubernetes-sigs/lws v0.9.0, pkg/controllers/leaderworkerset_controller.go.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_leader_worker_set_controller();

}  // namespace loadline::operators
