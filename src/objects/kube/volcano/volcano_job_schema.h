#pragma once

#include "objects/kube/schema.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::kube {

extern constinit const Schema kVolcanoJobSchema;

}  // namespace loadline::kube
