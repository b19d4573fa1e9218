#pragma once

#include "objects/kube/schema.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::kube {

extern const Schema kVolcanoNetworkTopologySchema;
extern constinit const Schema kVolcanoPodGroupSchema;

}  // namespace loadline::kube
