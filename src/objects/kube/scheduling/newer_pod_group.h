#pragma once

#include <array>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::kube {

/// The versions of PodGroup that Kubernetes 1.37 serves, and 1.36 does not, the newer first.
inline constexpr std::array<std::string_view, 2> kNewerPodGroupVersions = {"scheduling.k8s.io/v1beta1",
                                                                           "scheduling.k8s.io/v1alpha3"};

/// Whether that is one of them.
[[nodiscard]] bool is_newer_pod_group(std::string_view api_version, std::string_view kind);

/// The PodGroup as scheduling.k8s.io/v1alpha2 has it: `workloadRef` is `podGroupTemplateRef`, disruptionMode `all: {}`
/// is PodGroup and `single: {}` Pod, the condition PodGroupInitiallyScheduled is PodGroupScheduled. What v1alpha2 has
/// no word for is left out: `preemptionPolicy`, `parentCompositePodGroupName`.
/// Source: staging/src/k8s.io/api/scheduling/v1beta1/types.go, Kubernetes v1.37 (KEP-4671).
[[nodiscard]] document::Value as_older_pod_group(const document::Value& group);

}  // namespace loadline::kube
