#pragma once

#include <vector>

#include "kube/core/pod.h"
#include "kube/core/volume.h"

namespace loadline::workloads {

/// The claims that the ephemeral volume controller creates for a pod: `<pod>-<volume>`, owned by the pod.
/// Source: pkg/controller/volume/ephemeral, v1.36.
[[nodiscard]] std::vector<kube::PersistentVolumeClaim> ephemeral_claims(const kube::Pod& pod);

}  // namespace loadline::workloads
