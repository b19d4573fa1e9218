#pragma once

#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kSchedulerConfigurationSchema;

}  // namespace loadline::kube
