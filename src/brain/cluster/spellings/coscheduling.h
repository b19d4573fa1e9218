#pragma once

#include <string_view>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/coscheduling/pod_group.h"

namespace loadline::cluster::spellings {

/// The label of a pod that names its PodGroup.
inline constexpr std::string_view kCoschedulingLabel = "scheduling.x-k8s.io/pod-group";

/// What a PodGroup of the scheduler-plugins says: its minMember. minResources, which its PreFilter holds against the
/// sum of all that is free, proves nothing and is not read; scheduleTimeoutSeconds bounds a waiting that holds room,
/// which no group does here. Source: kubernetes-sigs/scheduler-plugins, pkg/coscheduling.
[[nodiscard]] GroupDescription describe(const kube::CoschedulingPodGroup& group, SymbolTable& symbols);

}  // namespace loadline::cluster::spellings
