#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/domain_victims.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/group_attempt.h"
#include "brain/gang/place.h"
#include "brain/gang/switches.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::gang {

/// Pods that want room together.
struct Preemptor {
  cluster::GroupId group;                   ///< invalid: one pod of none
  std::span<const cluster::PodId> members;  ///< that wait
  std::size_t least = 1;                    ///< so many of them have to find room
  std::int32_t priority = 0;
  std::optional<NodeSets> domains;  ///< one of which is to have all of them; nullopt: they may be anywhere
};

/// A whole group that waits: what its minimum lacks, at the group's priority.
Preemptor preemptor_of(const cluster::Cluster& cluster, cluster::GroupId group,
                       std::span<const cluster::PodId> members);
/// A pod by itself: of no group, or of one that has its minimum.
Preemptor preemptor_of(const cluster::Cluster& cluster, const cluster::PodId& pod);

/// What becomes of pods that want room.
struct GroupPreemption {
  std::vector<Place> places;          ///< where the members will be; empty: there is no room to be made
  std::vector<EvictionUnit> victims;  ///< who has to leave; empty: what is in the way is leaving already
  std::optional<NoVictims> why_not;   ///< there are no places: why
};

/// Finds who has to leave so that the pods find room, all of them together, before anybody is evicted. What is
/// terminating is thought to be gone: if that is enough, nobody is evicted in addition, and so nobody is while the
/// victims of an earlier turn are leaving. Else find_victims(), or find_victims_in_one() of the domains, among
/// eviction_units(). The cluster is unchanged on
/// return. REQUIRES: the rules are about the preemptor; the pods do not fit as it is; `try_place` tries to place them.
GroupPreemption preempt(cluster::Cluster& cluster, placement::Scheduler& scheduler, const Preemptor& preemptor,
                        const EvictionRules& rules, const TryPlace& try_place);

/// The attempt of a group that does not start becomes that of one that waits for the room, if there are places: members
/// are nominated to them, and each victim is one member's to tell of, if possible that of one on the same node.
void apply(GroupPreemption found, GroupAttempt& attempt, const cluster::Cluster& cluster);

/// What a member that has no place is told when it wants room for itself. True: it is nominated now, in the cluster,
/// too, or has a place where others made room; its victims are on no node any more. To be called in a transaction.
/// `found`: the decision about it, and what it is told beside.
bool make_room(cluster::Cluster& cluster, MemberAttempt& member, MemberAttempt found);

/// Once members without a place have made room for themselves: a group that does not start may start then.
void count_hopeful(GroupAttempt& attempt);

}  // namespace loadline::gang
