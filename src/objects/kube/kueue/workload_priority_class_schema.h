#pragma once

#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kWorkloadPriorityClassSchema;

}  // namespace loadline::kube
