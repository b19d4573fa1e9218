#pragma once

#include <memory>

#include "objects/kube/core/pod.h"

namespace loadline::kube {

/// Rounds every amount up to whole milli-units, as SetDefaults_ResourceList does. True if any changed.
bool round_to_milli(ResourceList& amounts);

void set_defaults(PersistentVolumeClaimSpec& spec);

}  // namespace loadline::kube
