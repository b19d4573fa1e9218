#pragma once

#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::cli {

/// The scheduler configuration to plan with, when the input carries `found` and none was named.
/// None found: Kubernetes' defaults. Otherwise the profiles of all of them, for a cluster may run several schedulers
/// side by side; a percentageOfNodesToScore counts for the profiles it was written beside. A cluster's own
/// default-scheduler is added if no profile bears its name. Errors: two of them define the same schedulerName.
Result<kube::SchedulerConfiguration> combined_configuration(std::vector<kube::SchedulerConfiguration> found);

}  // namespace loadline::cli
