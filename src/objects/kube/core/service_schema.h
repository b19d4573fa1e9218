#pragma once

#include "objects/kube/core/service.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kServiceSchema;
extern const Schema kReplicationControllerSchema;
extern const Schema kReplicationControllerStatusSchema;
extern const Schema kConfigMapSchema;

}  // namespace loadline::kube
