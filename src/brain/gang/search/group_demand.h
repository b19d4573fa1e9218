#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// Which pods of a group wait, and how many of them have to find a place so that the group starts.
struct GroupDemand {
  std::vector<cluster::PodId> members;  ///< in the order in which they are to be preferred
  std::int64_t least = 1;               ///< of all
  struct Part {
    std::vector<cluster::PodId> members;
    std::int64_t least = 0;
  };
  std::vector<Part> parts;  ///< subgroups that have a minimum of their own, which is not met yet
};

/// Whether the pod, which is a member of its group, is one of the subgroup.
bool is_in(const cluster::Cluster& cluster, cluster::PodId pod, const cluster::SubGroup& subgroup);

/// How many pods count towards the minimum of the subgroup: those on nodes that stay, and those that have succeeded.
std::int64_t counted_in(const cluster::Cluster& cluster, const cluster::PodGroup& group,
                        const cluster::SubGroup& subgroup);

/// How many of those that wait have to find places. A profile without the plugin that asks for a minimum has none: one.
std::int64_t least_of(const placement::Scheduler& scheduler, const cluster::PodGroup& group, cluster::PodId member);

/// What the group still asks for: its minimum, if the members' profile heeds it, and those of its subgroups, less what
/// is on nodes already; one pod at least. Where some subgroups suffice, those are asked for that members are of.
/// O(members × subgroups).
/// REQUIRES: the members are of the group, wait, and the scheduler has their profile.
GroupDemand demand_of(const cluster::Cluster& cluster, const placement::Scheduler& scheduler, cluster::GroupId group,
                      std::span<const cluster::PodId> members);

/// A subgroup with fewer members than have to start together.
struct LackingSubgroup {
  std::string name;
  std::int64_t members = 0;  ///< that stay
  std::int64_t least = 0;
  friend bool operator==(const LackingSubgroup&, const LackingSubgroup&) = default;
};

/// The subgroups for which the group cannot start, however much room there is: they lack members. Nothing where others
/// suffice, and nothing of a group that has started, or of which members have succeeded. O(members × subgroups).
std::vector<LackingSubgroup> lacking_subgroups(const cluster::Cluster& cluster, cluster::GroupId group);

/// Whether so many are placed as the subgroups of the group ask for, and none of those that `members` are of is left
/// with fewer than its minimum. O(members × subgroups).
bool subgroups_are_met(const cluster::Cluster& cluster, cluster::GroupId group,
                       std::span<const cluster::PodId> members);

}  // namespace loadline::gang
