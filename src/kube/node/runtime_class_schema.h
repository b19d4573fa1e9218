#pragma once

#include "kube/node/runtime_class.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kRuntimeClassSchema;

}  // namespace loadline::kube
