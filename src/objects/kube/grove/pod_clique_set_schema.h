#pragma once

#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kPodCliqueSetSchema;
extern constinit const Schema kPodCliqueSchema;
extern constinit const Schema kPodCliqueScalingGroupSchema;

}  // namespace loadline::kube
