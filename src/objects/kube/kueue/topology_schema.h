#pragma once

#include "objects/kube/kueue/topology.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kKueueTopologySchema;

}  // namespace loadline::kube
