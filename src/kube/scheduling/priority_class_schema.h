#pragma once

#include "kube/scheduling/priority_class.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kPriorityClassSchema;

}  // namespace loadline::kube
