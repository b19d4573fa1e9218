#pragma once

#include "brain/admission/priority.h"
#include "brain/cluster/spellings/group_description.h"

namespace loadline::admission {

/// Gives the group the number of the PriorityClass that its object names. A number that is written goes before a class.
/// Where there is no class of that name, nothing is said of the group's priority, as if none were named; and a class
/// that is the default of pods is none of groups: their pods have it already.
/// Source: of Volcano, Snapshot() in pkg/scheduler/cache/cache.go (v1.15); of KAI, getPodGroupPriority() in
/// pkg/scheduler/cache/cluster_info/cluster_info.go, which has PodGangs of Grove as PodGroups. Both take a default
/// priority (0 and 50) for a group that names no class that exists.
void resolve_priority(const PriorityClasses& classes, cluster::GroupRules& rules);

/// The description, with its priority resolved.
[[nodiscard]] cluster::GroupDescription with_priority(const PriorityClasses& classes,
                                                      cluster::GroupDescription description);

}  // namespace loadline::admission
