#pragma once

#include "objects/kube/kueue/multi_kueue.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kMultiKueueConfigSchema;
extern const Schema kMultiKueueClusterSchema;

}  // namespace loadline::kube
