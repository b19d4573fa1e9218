#pragma once

#include "objects/kube/loadline/reservation.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kReservationPhaseNames[] = {"Pending", "Holding", "Consumed", "Ended"};
inline constexpr Enumeration kReservationPhase{kReservationPhaseNames};
inline constexpr std::string_view kReservationPurposeNames[] = {"AnyPod", "Replacements"};
inline constexpr Enumeration kReservationPurpose{kReservationPurposeNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<ReservationPhase> = &kReservationPhase;
template <>
inline constexpr const Enumeration* kEnumerationOf<ReservationPurpose> = &kReservationPurpose;

extern const Schema kReservationSchema;
extern const Schema kReservationConditionSchema;
extern const Schema kReservationStatusSchema;

}  // namespace loadline::kube
