#pragma once

#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kPodGroupPolicySchema;
extern const Schema kPodGroupSchema;

}  // namespace loadline::kube
