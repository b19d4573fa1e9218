#pragma once

#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kResourceFlavorSchema;

}  // namespace loadline::kube
