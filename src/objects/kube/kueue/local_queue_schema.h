#pragma once

#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/stop_policy_schema.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kLocalQueueSchema;

}  // namespace loadline::kube
