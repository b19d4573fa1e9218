#pragma once

#include "foundation/base/time.h"

namespace loadline::cli {

/// How often a kubelet renews its node's Lease.
inline constexpr Duration kLeasePeriod = Duration::seconds(10);

/// How often virtual nodes renew theirs, in the cluster's time, while its clock runs at that speed or takes that step:
/// so rarely that a cluster in a hurry does not spend its time on heartbeats. Up to four times the wall's pace as
/// kubelets do; beyond that once in 2.5 s of the wall's time, and in a step 60 times at most.
Duration lease_period(double speed, Duration step);

}  // namespace loadline::cli
