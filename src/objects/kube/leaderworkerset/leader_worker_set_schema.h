#pragma once

#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kLeaderWorkerSetSchema;
extern constinit const Schema kLeaderWorkerSetStatusSchema;

}  // namespace loadline::kube
