#pragma once

#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::kube {

/// A KubeSchedulerConfiguration that is read as `configuration` is, with every argument of every plugin written out.
/// Its extenders are left out.
[[nodiscard]] document::Value write_scheduler_configuration(const SchedulerConfiguration& configuration);

/// Whether pods of the profile, which `configuration` has, are scheduled as Kubernetes' defaults would.
[[nodiscard]] bool decides_as_default(const SchedulerConfiguration& configuration, const SchedulerProfile& profile);

}  // namespace loadline::kube
