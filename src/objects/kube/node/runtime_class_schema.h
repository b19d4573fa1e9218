#pragma once

#include "objects/kube/node/runtime_class.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kRuntimeClassSchema;

}  // namespace loadline::kube
