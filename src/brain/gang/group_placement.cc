#include "brain/gang/group_placement.h"

#include "brain/gang/topology/close_placement.h"
#include "brain/gang/topology/scored_domains.h"

namespace loadline::gang {

GroupAttempt place_group(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                         cluster::GroupId group, std::span<const cluster::PodId> members, const Effort& effort) {
  if (effort.domains == GroupDomains::kMostAllocated && has_bare_constraint(cluster.group(group))) {
    return attempt_in_best_domain(cluster, scheduler, trees, group, members, effort);
  }
  if (has_topology_wish(cluster.group(group))) return attempt_close(cluster, scheduler, trees, group, members, effort);
  return attempt(cluster, scheduler, group, members, effort);
}

}  // namespace loadline::gang
