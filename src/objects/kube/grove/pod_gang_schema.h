#pragma once

#include "objects/kube/grove/pod_gang.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kPodGangSchema;

}  // namespace loadline::kube
