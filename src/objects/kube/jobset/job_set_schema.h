#pragma once

#include "objects/kube/jobset/job_set.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kJobSetSchema;
extern constinit const Schema kJobSetStatusSchema;

}  // namespace loadline::kube
