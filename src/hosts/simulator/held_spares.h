#pragma once

#include "hosts/simulator/plan.h"

namespace loadline::simulator {

/// Says of each pod that waits for want of a resource, and of each member that stops its group, which reservations hold
/// room of that resource for replacements alone. They are facts, and no proof that the pod would fit without them.
/// O(pending pods × reservations).
void note_spares(Plan& plan);

}  // namespace loadline::simulator
