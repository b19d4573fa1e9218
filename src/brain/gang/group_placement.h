#pragma once

#include <span>

#include "brain/gang/group_attempt.h"
#include "brain/gang/topology/domain_trees.h"

namespace loadline::gang {

/// The one way in which a group is placed: near each other where its rules ask for that (attempt_close()), else member
/// by member, with a search where that does not suffice (attempt()); where some of its subgroups suffice, those that
/// there is room for (attempt_choices()). REQUIRES and leaves in the cluster: as these.
GroupAttempt place_group(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                         cluster::GroupId group, std::span<const cluster::PodId> members, const Effort& effort);

}  // namespace loadline::gang
