#pragma once

#include "objects/kube/scheduling/workload.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kWorkloadSchema;

}  // namespace loadline::kube
