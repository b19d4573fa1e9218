#pragma once

#include "objects/kube/nvidia/device_plugin.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kClusterPolicySchema;

}  // namespace loadline::kube
