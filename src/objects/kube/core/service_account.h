#pragma once

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Who a pod is to the API server. Decisions read no more of it than that it is there.
struct ServiceAccount {
  ObjectMeta metadata;
};

}  // namespace loadline::kube
