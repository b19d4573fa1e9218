#pragma once

#include "foundation/base/diagnostic.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// Groups whose objects name a PriorityClass that is not there: they have the priority of their pods.
[[nodiscard]] Diagnostics note_group_priorities(const kube::Objects& objects);

}  // namespace loadline::simulator
