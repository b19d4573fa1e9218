#pragma once

#include "objects/kube/jobset/job_set.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern constinit const Schema kJobSetSchema;

}  // namespace loadline::kube
