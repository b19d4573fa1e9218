#pragma once

#include "kube/batch/batch.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kJobSchema;
extern const Schema kCronJobSchema;
extern const Schema kJobSpecSchema;

}  // namespace loadline::kube
