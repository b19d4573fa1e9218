#pragma once

#include "objects/kube/kueue/cohort.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kCohortSchema;

}  // namespace loadline::kube
