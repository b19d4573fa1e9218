#pragma once

#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kPriorityClassSchema;

}  // namespace loadline::kube
