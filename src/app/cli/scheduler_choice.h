#pragma once

#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::cli {

/// The scheduler configuration to plan with, when the input carries `found` and none was named.
/// None found: Kubernetes' defaults. Otherwise the profiles of all of them, for a cluster may run several schedulers
/// side by side; a percentageOfNodesToScore counts for the profiles it was written beside. Those in ConfigMaps come
/// after those that stand by themselves. A cluster's own
/// default-scheduler is added if no profile bears its name. Errors: two of them define the same schedulerName.
Result<kube::SchedulerConfiguration> combined_configuration(std::vector<kube::SchedulerConfiguration> found);

/// The first extender that would be called for pods of some profile; null: none would.
const kube::Extender* first_extender(const kube::SchedulerConfiguration& configuration);

}  // namespace loadline::cli
