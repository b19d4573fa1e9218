#pragma once

#include "foundation/base/diagnostic.h"
#include "objects/kube/objects.h"

namespace loadline::kube {

/// Adds `added` to `objects` as `kubectl apply` would: an object whose kind, namespace and name are there already takes
/// the old one's place, and keeps what only the cluster knows (uid, time of creation). Pods, claims and volumes that
/// are there stay as they are, for applying their manifest again moves nothing. Returns a warning for each object that
/// its own side defines twice; there too the later one counts. O(objects × log objects).
Diagnostics apply_over(Objects& objects, Objects added);

}  // namespace loadline::kube
