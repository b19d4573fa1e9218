#include "brain/gang/group_placement.h"

#include <algorithm>
#include <cstdint>

#include "brain/gang/subgroup_choice.h"
#include "brain/gang/topology/close_placement.h"
#include "brain/gang/topology/scored_domains.h"

namespace loadline::gang {

GroupAttempt place_group(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                         cluster::GroupId group, std::span<const cluster::PodId> members, const Effort& effort) {
  const auto attempt_members = [&](std::span<const cluster::PodId> some, std::uint64_t budget) {
    Effort own = effort;
    own.budget = std::min(effort.budget, budget);
    const cluster::PodGroup& known = cluster.group(group);
    if (effort.domains == GroupDomains::kMostAllocated && has_bare_constraint(known)) {
      return attempt_in_best_domain(cluster, scheduler, trees, group, some, own);
    }
    return has_topology_wish(known) ? attempt_close(cluster, scheduler, trees, group, some, own)
                                    : attempt(cluster, scheduler, group, some, own);
  };
  if (has_choice_of_subgroups(cluster.group(group))) return attempt_choices(cluster, group, members, attempt_members);
  return attempt_members(members, effort.budget);
}

}  // namespace loadline::gang
