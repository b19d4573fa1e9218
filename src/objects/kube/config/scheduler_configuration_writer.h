#pragma once

#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::kube {

/// A KubeSchedulerConfiguration that is read as `configuration` is, with every argument of every plugin written out.
/// Its extenders are left out.
[[nodiscard]] document::Value write_scheduler_configuration(const SchedulerConfiguration& configuration);

}  // namespace loadline::kube
