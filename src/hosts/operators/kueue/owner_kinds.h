#pragma once

#include "hosts/watching/subscriptions.h"

namespace loadline::operators::kueue {

/// Reads all kinds that may stand above a job or a pod: management.h looks them up.
void read_owner_kinds(watching::Subscriptions& to);

}  // namespace loadline::operators::kueue
