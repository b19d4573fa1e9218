#pragma once

#include "objects/kube/kueue/workload.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kKueueWorkloadSchema;
/// Of a KueueWorkloadStatus.
extern const Schema kKueueWorkloadStatusSchema;

}  // namespace loadline::kube
