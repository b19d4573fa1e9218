#pragma once

#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kKoordinatorReservationSchema;

}  // namespace loadline::kube
