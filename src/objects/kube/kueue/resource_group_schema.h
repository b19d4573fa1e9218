#pragma once

#include "objects/kube/kueue/resource_group.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kResourceGroupSchema;

}  // namespace loadline::kube
