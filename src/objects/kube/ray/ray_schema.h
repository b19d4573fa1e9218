#pragma once

#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kRayClusterSchema;
extern constinit const Schema kRayJobSchema;
extern constinit const Schema kRayCronJobSchema;

}  // namespace loadline::kube
