#pragma once

#include <optional>
#include <span>
#include <vector>

#include "brain/gang/victims.h"

namespace loadline::gang {

/// The nodes of parts of the cluster, one of which is to have all members of a group.
using NodeSets = std::vector<std::vector<cluster::NodeId>>;

/// In so many domains, the cheapest by count, victims are looked for by placing members; in more until some are found.
inline constexpr std::size_t kMostVictimDomains = 16;

/// find_victims() where all members have to be in one of the domains: in each, those are looked for who make room
/// there, and the cheapest set of all is taken. Domains are gone through in the order of estimate_victims(), until none
/// is left that could be cheaper than what was found; so domains where no evictions make room by count cost a count.
/// If a domain has up to kFewUnits units, its best set is found. With more, what is said of find_victims() holds.
/// Source of the idea: Volcano v1.13, gangpreempt, which tries up to eight HyperNodes, takes the first that will do,
/// and compares no costs. O(domains × nodes + placed pods), and find_victims() as often as said. REQUIRES:
/// as of find_victims(); `needs` have the nodes of the whole cluster.
std::optional<Victims> find_victims_in_one(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                           std::span<const cluster::PodId> members, const std::vector<RoomNeed>& needs,
                                           const NodeSets& domains, const TryPlace& try_place,
                                           const VictimRules& rules);

}  // namespace loadline::gang
