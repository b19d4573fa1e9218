#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/gang_workloads.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/loadline/reservation.h"
#include "objects/kube/registry.h"

namespace loadline::workloads {

// Two workloads that are created part by part may each start their first part, and hold room that the other one's later
// part needs. Neither goes on then. So a workload that holds room (kHoldsRoom) asks for that of all its parts at once:
// each later part has a Reservation, whose placeholders start with the group of the first part (kStartsWith), all or
// none, and which the part's pods consume when they come.
//
// Example: JobSet train of a driver and, InOrder, 2 Jobs of 4 workers → PodGroup jobset-train with minCount 9, of which
// 8 are created later, and Reservations jobset-train-room-0 and -1 for 4 pods each.
//
// Assumes that the group's minimum is all of its pods: a group that starts with fewer (an MPIJob with a minAvailable of
// its own) has none, since nobody knows which of the later pods will be among these. Nor has one of which the pods name
// several schedulers: they are no group.

/// The reservations for the later parts of a group, which the workload controls: one for each template of pods, and
/// copy of a part, in the order of the pods. `pods`: all of the group that the workload makes. Empty: there are no
/// later parts, or the assumption above does not hold. O(pods × rooms).
[[nodiscard]] std::vector<kube::Reservation> rooms_of_later_parts(const kube::KindInfo& kind,
                                                                  const kube::ObjectMeta& workload,
                                                                  const WholePart& part,
                                                                  std::span<const kube::Pod* const> pods);

/// "jobset-train-room-0".
[[nodiscard]] std::string room_name(std::string_view group, std::size_t number);

}  // namespace loadline::workloads
