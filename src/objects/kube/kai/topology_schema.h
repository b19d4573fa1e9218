#pragma once

#include "objects/kube/kai/topology.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kKaiTopologySchema;

}  // namespace loadline::kube
