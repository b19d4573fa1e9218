#pragma once

#include "kube/batch/batch.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kJobSchema;
extern const Schema kCronJobSchema;
extern const Schema kJobSpecSchema;
extern const Schema kJobStatusSchema;
extern const Schema kCronJobStatusSchema;

}  // namespace loadline::kube
