#pragma once

#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kPodCliqueSetSchema;
extern constinit const Schema kPodCliqueSchema;
extern constinit const Schema kPodCliqueScalingGroupSchema;
// Their statuses.
extern constinit const Schema kPodCliqueSetStatusSchema;
extern constinit const Schema kPodCliqueStatusSchema;
extern constinit const Schema kPodCliqueScalingGroupStatusSchema;

}  // namespace loadline::kube
