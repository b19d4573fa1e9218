#pragma once

#include <vector>

#include "objects/kube/core/pod.h"

namespace loadline::admission {

/// Lets a pod stay 300 s on a node that is not ready or unreachable (NoExecute), unless it says something about those
/// taints itself: appends to its tolerations. Only their keys and effects are read.
/// Source: plugin/pkg/admission/defaulttolerationseconds, v1.36, default flags.
void add_default_tolerations(std::vector<kube::Toleration>& tolerations);

}  // namespace loadline::admission
