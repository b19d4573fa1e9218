#pragma once

#include "objects/kube/coscheduling/pod_group.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kCoschedulingPodGroupSchema;

}  // namespace loadline::kube
