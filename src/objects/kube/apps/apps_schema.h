#pragma once

#include "objects/kube/apps/apps.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kDeploymentSchema;
extern const Schema kReplicaSetSchema;
extern const Schema kStatefulSetSchema;
extern const Schema kDaemonSetSchema;

extern const Schema kDeploymentStatusSchema;
extern const Schema kReplicaSetStatusSchema;
extern const Schema kStatefulSetStatusSchema;
extern const Schema kDaemonSetStatusSchema;

}  // namespace loadline::kube
