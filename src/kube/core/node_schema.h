#pragma once

#include "kube/core/node.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kNodeSchema;

}  // namespace loadline::kube
