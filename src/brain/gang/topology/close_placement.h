#pragma once

#include <cstdint>
#include <span>

#include "brain/gang/group_attempt.h"
#include "brain/gang/topology/domain_trees.h"

namespace loadline::gang {

/// So many times a member is put somewhere, at most, until a group's turn says that no place was found.
inline constexpr std::int64_t kMostSteps = 200'000;

/// Whether the group, or a part of it, is to be near each other.
bool has_topology_wish(const cluster::PodGroup& group);
/// Whether there are places that it, or a part of it, must not be in: it has a required level, or slices.
bool must_be_close(const cluster::PodGroup& group);

/// Places the members near each other, as the rules of the group and of its subgroups say.
///
///  1. Levels are tried from the preferred one up, one at a time, to the required one, else to the whole cluster.
///  2. Among the domains of a level that have room for the members, the one with the least room comes first, so that
///     large ones stay whole; members that are on nodes already leave one only: where they are.
///  3. Inside it the members go to the fewest narrower domains and nodes (DomainPacking). Each passes the filters on
///     its node when those before it are in their places; what does not is sought elsewhere in the domain.
///  4. Subgroups are placed inside the group's domain, the one that asks for most first; if a later one finds no place,
///     earlier ones are tried in their next domains.
///  5. Where not all members find places, those that the minimum asks for do, in the domain that takes most of them.
///  6. Where counts and filters disagree inside a domain, or kinds share the room of nodes, and the policy has it, a
///     search (search/group_search.h) looks for places there, if there are no slices.
///
/// For members of one kind (equal_members.h) that share nothing but what nodes offer, a refusal is proof: no domain has
/// the room. Otherwise it says that the tried ones did not do. Steps are counted, so the same input gives the same
/// answer: after kMostSteps placed members, and the steps of Effort::budget, nothing more is tried.
///
/// A group whose wishes are preferences alone, and that finds no place, gets gang::attempt(), and so may evict others.
/// In the cluster stands what gang::attempt() leaves there, under the same conditions. O(nodes × filters + members).
/// Source: Kueue v0.19 (BestFit), KAI (preferred up to required), KEP-5732 (flat); docs/topology.md.
/// REQUIRES: as of gang::attempt(), and has_topology_wish().
GroupAttempt attempt_close(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                           cluster::GroupId group, std::span<const cluster::PodId> members, const Effort& effort = {});

}  // namespace loadline::gang
