#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Makes the claims of pods' generic ephemeral volumes, POD-VOLUME, which the pods own. Its keys are pods.
/// Source: pkg/controller/volume/ephemeral, v1.36.
std::unique_ptr<Controller> make_ephemeral_volume_controller();

}  // namespace loadline::controllers
