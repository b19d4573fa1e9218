#pragma once

#include <optional>
#include <string_view>

#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/core/pod.h"

namespace loadline::cluster::spellings {

/// The annotation of a pod that names its gang, and the label that does so where that is missing.
inline constexpr std::string_view kKoordinatorAnnotation = "gang.scheduling.koordinator.sh/name";
inline constexpr std::string_view kKoordinatorLabel = "pod-group.scheduling.sigs.k8s.io/name";
inline constexpr std::string_view kKoordinatorLeast = "gang.scheduling.koordinator.sh/min-available";

/// What a pod of a gang of Koordinator says of it. Nothing: the annotation with the minimum is not there, or is no
/// number. How many there are in all, mode, match policy and bundles of gangs (/total-number, /mode, /match-policy,
/// /groups) are not heeded. Source: koordinator-sh/koordinator, apis/extension/coscheduling.go, tryInitByPodConfig.
[[nodiscard]] std::optional<GroupDescription> describe_by_koordinator(const kube::ObjectMeta& pod);

}  // namespace loadline::cluster::spellings
