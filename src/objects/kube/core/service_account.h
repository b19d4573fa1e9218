#pragma once

#include "objects/kube/meta.h"

namespace loadline::kube {

/// The identity of a pod to the API server. Decisions read only whether the object exists.
struct ServiceAccount {
  ObjectMeta metadata;
};

}  // namespace loadline::kube
