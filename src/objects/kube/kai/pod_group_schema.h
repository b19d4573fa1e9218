#pragma once

#include "objects/kube/kai/pod_group.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kKaiSchedulingConditionSchema;
extern constinit const Schema kKaiPodGroupSchema;

}  // namespace loadline::kube
