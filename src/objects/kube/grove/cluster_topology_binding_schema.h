#pragma once

#include "objects/kube/grove/cluster_topology_binding.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kClusterTopologyBindingSchema;

}  // namespace loadline::kube
