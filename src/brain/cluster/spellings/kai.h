#pragma once

#include <string_view>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kai/pod_group.h"

namespace loadline::cluster::spellings {

/// The annotation of a pod that names its PodGroup. It is a word that others may use, too, so it counts for pods of
/// KAI's scheduler, or with its labels, only.
inline constexpr std::string_view kKaiAnnotation = "pod-group-name";
inline constexpr std::string_view kKaiSubGroupLabel = "kai.scheduler/subgroup-name";

/// Whether the pod is one that KAI's scheduler is to place.
[[nodiscard]] bool is_of_kai(const kube::ObjectMeta& metadata, const kube::PodSpec& spec);

/// What a PodGroup of KAI says: minMember, or, with subgroups, the sum of what they need; where minSubGroup says how
/// many subgroups are enough, the smallest ones. A subgroup whose parent is not there is a part of the group. Source:
/// kai-scheduler/KAI-Scheduler, pkg/apis/scheduling/v2alpha2.
[[nodiscard]] GroupDescription describe(const kube::KaiPodGroup& group, SymbolTable& symbols);

}  // namespace loadline::cluster::spellings
