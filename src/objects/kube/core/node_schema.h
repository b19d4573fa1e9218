#pragma once

#include "objects/kube/core/node.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kNodeSchema;
extern const Schema kTaintSchema;

}  // namespace loadline::kube
