#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/place.h"
#include "brain/gang/room_count.h"
#include "brain/gang/victim_cost.h"

namespace loadline::gang {

/// Who has to leave, and where the members are placed then.
struct Victims {
  std::vector<EvictionUnit> units;  ///< most important first
  std::vector<Place> places;        ///< of the members that find one, in their order
  VictimCost cost;
  std::size_t attempts = 0;  ///< placements that were tried
};

/// Of up to so many units the best set is found, whatever it is.
inline constexpr std::size_t kFewUnits = 8;
/// Of up to so many units, pairs are tried where a larger set was proposed.
inline constexpr std::size_t kUnitsForPairs = 64;
/// Single units, and pairs, that are tried then: of those that may suffice, the cheapest.
inline constexpr std::size_t kMostSmallSets = 8;
/// Of up to kUnitsForPairs units, sets that end fewer jobs are looked at then by counting alone, until so many pods
/// were counted as gone or as staying; and so many of these sets are tried.
inline constexpr std::size_t kMostPodsCounted = 100'000;
inline constexpr std::size_t kMostFewerSets = 16;

/// Whether the rules of the members, or of pods that are there, look beyond the room on a node: then units that hold no
/// room on any node that a member could be on may be in the way all the same.
bool minds_other_pods(const cluster::Cluster& cluster, const std::vector<RoomNeed>& needs);

/// Looks for the units that are to leave so that the members find room: among these candidates, the set that costs
/// least by the rules.
///
/// Up to kFewUnits units, sets are tried in the order of their cost: the first one with which the members fit is the
/// best. Beyond that,
///  1. the lowest priority is determined that some victim has to have: by a count of room, which can rule priorities
///     out, and by bisection where the count was too hopeful;
///  2. among units up to it, a small set is proposed by counts (VictimProposal), then a larger one, at last all;
///  3. units that the placement makes no use of are given back, most important first, by halves, until none can be; of
///     a group of which members can be spared, only these leave if that is enough;
///  4. single units, and pairs, are tried if the set is larger than that, and then other sets that end fewer jobs, up
///     to kMostPodsCounted and kMostFewerSets.
/// The set is minimal: with any unit of it back, the members do not fit. It violates as few budgets, and has the lowest
/// highest priority, up to what is said of budgets that guard several units; it ends the fewest jobs where jobs share
/// no nodes, else at most as many as step 2 proposes.
/// The cluster is unchanged on return. Attempts: at most 2^kFewUnits; else O(log units) and one to three for each
/// victim, most of which counts spare. Deterministic.
/// REQUIRES: a Visibility::kSeen transaction is open; the members are not nominated, and do not fit as it is; no pod of
/// the units is terminating. What is said of beyond kFewUnits, of costs, holds for recommended_rules(); with others the
/// set is minimal, and cheaper than the small sets that are tried. If `cheaper_than` is given, dearer sets, and equal
/// ones, are of no use to the caller.
std::optional<Victims> find_victims(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                    std::span<const cluster::PodId> members, const std::vector<RoomNeed>& needs,
                                    const TryPlace& try_place, const VictimRules& rules,
                                    const VictimCost* cheaper_than = nullptr);

/// What the victims would cost if counts of room were all: of up to kFewUnits units, no more than they do cost; of
/// more, what is proposed first. Nothing: there is certainly no room, whoever leaves. Nothing is placed. REQUIRES: as
/// of find_victims().
std::optional<VictimCost> estimate_victims(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                           std::span<const cluster::PodId> members, const std::vector<RoomNeed>& needs,
                                           const VictimRules& rules);

}  // namespace loadline::gang
