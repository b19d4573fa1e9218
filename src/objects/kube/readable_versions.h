#pragma once

#include <string_view>
#include <vector>

#include "objects/kube/registry.h"

namespace loadline::kube {

/// The apiVersions in which objects of the kind can be read, the one to prefer first: those of the registry; those that
/// are read as one of them, because they are of a Kubernetes that is newer (kNewerPodGroupVersions) or older
/// (kOlderWorkloadVersion, retired_kinds.h). A cluster serves some of them, one, or none.
/// Example: PodDisruptionBudget → policy/v1, policy/v1beta1.
[[nodiscard]] std::vector<std::string_view> readable_versions(const KindInfo& info);

}  // namespace loadline::kube
