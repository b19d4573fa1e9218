#pragma once

#include "objects/kube/batch/batch.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kJobSchema;
extern const Schema kCronJobSchema;
extern const Schema kJobSpecSchema;
extern const Schema kJobStatusSchema;
extern const Schema kCronJobStatusSchema;

}  // namespace loadline::kube
