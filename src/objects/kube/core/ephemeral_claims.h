#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"

namespace loadline::kube {

/// "<pod>-<volume>", the claim of a generic ephemeral volume.
[[nodiscard]] std::string ephemeral_claim_name(std::string_view pod, const Volume& volume);

/// The claims that the ephemeral volume controller creates for a pod, which owns them.
/// Source: pkg/controller/volume/ephemeral, v1.36.
[[nodiscard]] std::vector<PersistentVolumeClaim> ephemeral_claims(const Pod& pod);

}  // namespace loadline::kube
