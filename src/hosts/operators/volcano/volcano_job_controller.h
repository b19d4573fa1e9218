#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::operators {

/// Gives a Job of Volcano its claims, its PodGroup and the pods of its tasks, in the order of their dependencies,
/// follows it to its end, and removes it when its time is over. Policies and plugins are not heeded.
/// Source: volcano.sh/volcano v1.15.1, pkg/controllers/job and pkg/controllers/garbagecollector.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_volcano_job_controller();

}  // namespace loadline::operators
