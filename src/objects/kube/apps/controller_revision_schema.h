#pragma once

#include "objects/kube/apps/controller_revision.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kControllerRevisionSchema;

}  // namespace loadline::kube
