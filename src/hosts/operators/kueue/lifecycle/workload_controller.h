#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators::kueue {

/// Kueue's workload controller: next_step() of each Workload, as it and what it depends on changes, and as time passes.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_workload_controller();

}  // namespace loadline::operators::kueue
