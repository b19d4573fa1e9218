#pragma once

#include <optional>
#include <string_view>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::cluster::spellings {

inline constexpr std::string_view kKubernetesField = "spec.schedulingGroup.podGroupName";

/// What a PodGroup of scheduling.k8s.io/v1alpha2 says. Source: KEP-4671, KEP-5732.
[[nodiscard]] GroupDescription describe(const kube::PodGroup& group, SymbolTable& symbols);

}  // namespace loadline::cluster::spellings
