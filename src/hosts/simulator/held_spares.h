#pragma once

#include <span>
#include <string>
#include <vector>

#include "hosts/simulator/plan.h"

namespace loadline::simulator {

/// Which of the reservations hold, for replacements alone, room of a resource that nodes are short of for these
/// reasons: "Reservation ml/spares (2 pods)".
[[nodiscard]] std::vector<std::string> spares_for(std::span<const NodeReason> reasons,
                                                  std::span<const PlannedReservation> reservations);

/// Says of each pod that waits for want of a resource, and of each member that stops its group, which reservations hold
/// room of that resource for replacements alone. They are facts, and no proof that the pod would fit without them.
/// O(pending pods × reservations).
void note_spares(Plan& plan);

}  // namespace loadline::simulator
