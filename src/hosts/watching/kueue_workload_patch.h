#pragma once

#include <optional>

#include "hosts/watching/action.h"
#include "hosts/watching/object.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::watching {

/// The patch of a Workload's status that makes it say what `after` does, and leaves alone what does not differ;
/// nothing, if it says so. It fails if another writer was faster.
[[nodiscard]] std::optional<Action> status_patch_of(const Observed<kube::KueueWorkload>& object,
                                                    const kube::KueueWorkload& after);

}  // namespace loadline::watching
