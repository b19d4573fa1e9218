#pragma once

#include "kube/apps/apps.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kDeploymentSchema;
extern const Schema kReplicaSetSchema;
extern const Schema kStatefulSetSchema;
extern const Schema kDaemonSetSchema;

}  // namespace loadline::kube
