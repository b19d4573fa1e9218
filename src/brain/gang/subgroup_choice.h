#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/group_attempt.h"

namespace loadline::gang {

/// Whether the group can start without some of its subgroups.
bool has_choice_of_subgroups(const cluster::PodGroup& group);

/// How an attempt to place some members is made: place_group() for these alone, with so many steps for a search at
/// most.
using AttemptMembers = std::function<GroupAttempt(std::span<const cluster::PodId> members, std::uint64_t budget)>;

/// Places a group of which so many subgroups suffice, each with its minimum or not at all: no room is taken by a part
/// that is of no use by itself. Tried are all subgroups that could be whole by the number of their pods; then, until
/// one of them starts, the sets of subgroups that suffice, those of the smallest first, 32 at most; and then, one by
/// one, which further subgroups there is room for. A subgroup that has its minimum takes further pods one by one. Not
/// complete: it finds a placement of the sets that it tries, where attempt() does; the search for all of them has the
/// whole budget, that for a set kProbeBudget.
/// Source: KAI's minSubGroup, pkg/apis/scheduling/v2alpha2/podgroup_types.go.
/// REQUIRES and leaves in the cluster: as attempt().
GroupAttempt attempt_choices(cluster::Cluster& cluster, cluster::GroupId group, std::span<const cluster::PodId> members,
                             const AttemptMembers& attempt_members);

/// Members that wait and of which none may be placed without the others: of a subgroup none of whose leaves has its
/// minimum.
struct FurtherPart {
  std::vector<cluster::PodId> members;
  std::size_t least = 0;  ///< so many of them its leaves lack
};

/// The parts that a group which has its minimum could take in addition, if it has a choice: those first that are
/// nominated, so that two do not take turns; then in the order of the subgroups. Those that have too few pods are left
/// out. Nothing: its members go one by one. O(members × subgroups).
std::vector<FurtherPart> further_parts(const cluster::Cluster& cluster, cluster::GroupId group,
                                       std::span<const cluster::PodId> members);

}  // namespace loadline::gang
