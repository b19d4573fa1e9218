#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "brain/gang/topology/closeness.h"
#include "brain/gang/topology/equal_members.h"

namespace loadline::gang {

/// Members with a place of their own: a group, one of its subgroups, or a slice of members that are not alike.
struct GroupPart {
  std::string name;  ///< of a subgroup; empty: the group
  Closeness close;   ///< `tree` is there also if nothing is asked for
  std::int64_t count = 0;
  std::int64_t need = 0;                 ///< at least so many of those that wait find places, or the group none
  std::vector<EqualMembers> kinds;       ///< those that wait
  std::vector<cluster::NodeId> present;  ///< where the others are
  std::vector<GroupPart> parts;          ///< if there are any, they are what is placed
};

/// The group as its rules divide it: subgroups are parts, and may have parts of their own, the innermost of which have
/// the members. A member is of the first subgroup that has it; members of none are a part that asks for nothing.
/// Errors: as of resolve(), with the name of the subgroup.
tl::expected<GroupPart, WishFault> divide(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                                          DomainTrees& trees, const cluster::PodGroup& group,
                                          std::span<const cluster::PodId> members, std::int64_t need);

}  // namespace loadline::gang
