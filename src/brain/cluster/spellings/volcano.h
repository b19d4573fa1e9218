#pragma once

#include <optional>
#include <string_view>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::cluster::spellings {

/// The annotations of a pod that name its PodGroup: the first that it has counts.
inline constexpr std::string_view kVolcanoAnnotations[] = {"scheduling.k8s.io/group-name",
                                                           "scheduling.volcano.sh/group-name"};

/// What a PodGroup of Volcano says: minMember, minTaskMember and networkTopology. Roles have minimums of their own only
/// if minMember is not less than their sum. They are told by the label volcano.sh/task-spec, which Volcano's Jobs give
/// their pods beside the annotation. minResources is a hint and is not read. A subGroupPolicy
/// with matchLabelKeys stands for slices of its size, whichever pods are in which, of which none starts with fewer: of
/// these, a soft topology is not heeded. Source: volcano-sh/volcano v1.15, CheckTaskValid,
/// pkg/scheduler/api/job_info.go.
[[nodiscard]] GroupDescription describe(const kube::VolcanoPodGroup& group, SymbolTable& symbols);

}  // namespace loadline::cluster::spellings
