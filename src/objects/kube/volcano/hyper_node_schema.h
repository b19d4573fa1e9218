#pragma once

#include "objects/kube/schema.h"
#include "objects/kube/volcano/hyper_node.h"

namespace loadline::kube {

extern const Schema kHyperNodeSchema;

}  // namespace loadline::kube
