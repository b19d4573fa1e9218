#pragma once

#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "hosts/watching/object.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::scheduler {

/// In whose words an API server has a reservation.
enum class ReservationSpelling : std::uint8_t { kOwn, kKoordinator };

/// What the scheduler has to say of a reservation.
struct ReservationFacts {
  kube::ReservationPhase phase = kube::ReservationPhase::kPending;
  std::int32_t consumed = 0;
  std::vector<kube::ReservedNode> nodes;      ///< where room is held, by name
  std::vector<kube::ReservedDomain> domains;  ///< of room that is held per domain, by name
  std::string reason;                         ///< "Held", "Unschedulable", "Refused", "Consumed", "NotYet", "Ended"
  std::string message;
};

/// The facts as a status, in the words of the spelling. Times of conditions move only if these do.
kube::ReservationStatus status_of(const ReservationFacts& facts, const kube::ReservationStatus& before,
                                  ReservationSpelling spelling, Instant now);

/// Whether both would be written alike.
bool is_same_status(const kube::ReservationStatus& a, const kube::ReservationStatus& b);

/// The request that writes it.
watching::Action write_status(const kube::ObjectMeta& reservation, const kube::ReservationStatus& status,
                              ReservationSpelling spelling);

}  // namespace loadline::scheduler
