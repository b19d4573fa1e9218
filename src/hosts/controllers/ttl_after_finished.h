#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Deletes Jobs ttlSecondsAfterFinished after their end, and waits for what they own.
/// Source: pkg/controller/ttlafterfinished, v1.36.
std::unique_ptr<Controller> make_ttl_after_finished_controller();

}  // namespace loadline::controllers
