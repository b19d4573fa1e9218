#pragma once

#include <cstddef>
#include <cstdint>

#include "foundation/base/time.h"

namespace loadline::gang {

/// What becomes of a group whose members, placed one after another in their order, do not all find a place.
enum class GroupPlacement : std::uint8_t {
  kSearch,   ///< other orders and other nodes are tried, up to a stated budget
  kInOrder,  ///< it does not fit
};

/// Which of the domains is taken that could have a group whose object names one label as its topology constraint.
enum class GroupDomains : std::uint8_t {
  kBestFit,        ///< the one with the least room, so that large ones stay whole
  kMostAllocated,  ///< the one that is fullest then, and has most of the members
};

/// How the members of a group with a preferred level of topology are divided inside the domain that it is in.
enum class GroupShares : std::uint8_t {
  kFewest,    ///< among the fewest domains and nodes, the largest first
  kBalanced,  ///< among the fewest, in equal shares
};

/// Who leaves together when a pod of a group is evicted for others.
enum class GroupVictims : std::uint8_t {
  kWholeGroups,       ///< the group, or members above its minimum
  kByDisruptionMode,  ///< as its disruptionMode says: the group, or the pod
  kPodByPod,          ///< the pod
};

/// Who may start while a group waits for room.
enum class Backfill : std::uint8_t {
  kEasy,          ///< whoever does not move the planned start of the first group in line
  kConservative,  ///< whoever does not move the planned start of any of them
  kSkipAhead,     ///< whoever fits; nothing has a planned start
};

/// What becomes of a group that has started, is below its minimum since, and finds no room for replacements.
enum class BrokenGroups : std::uint8_t {
  kReleasedForOthers,  ///< it gives back its room if another unit could start in it
  kKept,               ///< the members that are left keep their nodes
};

/// Which pods count towards the minimum of their group.
enum class GroupMinimum : std::uint8_t {
  kFinishedToo,  ///< those that are there, and those that have succeeded
  kUnfinished,   ///< those that are there
};

/// Whether the pods of workloads that are of use only as a whole start together where nothing says so.
enum class GangWorkloads : std::uint8_t {
  kAsWritten,  ///< only if their object, or their pods, say so
  kWhole,
};

/// Whether a workload whose pods are created part by part holds room for the later ones before its first part starts.
enum class LaterParts : std::uint8_t {
  kRoomForTheWhole,  ///< placeholders of the later parts start with the first
  kAsTheyCome,       ///< each part looks for room when its pods are there
};

/// What the policy decides for groups. Its names, words and sources stand in engine/policy.cc.
struct Switches {
  GroupPlacement placement = GroupPlacement::kSearch;
  GroupDomains domains = GroupDomains::kBestFit;
  GroupShares shares = GroupShares::kFewest;
  GroupVictims victims = GroupVictims::kWholeGroups;
  Backfill backfill = Backfill::kEasy;
  std::size_t backfill_depth = 32;  ///< so many units in line have a planned start at most; at least 1
  BrokenGroups broken = BrokenGroups::kReleasedForOthers;
  GroupMinimum minimum = GroupMinimum::kFinishedToo;
  GangWorkloads workloads = GangWorkloads::kAsWritten;
  LaterParts later_parts = LaterParts::kRoomForTheWhole;
  std::size_t exempt_hours = 24;  ///< so long a running pod may say at most that it is no victim

  friend bool operator==(const Switches&, const Switches&) = default;
};

/// Whether workloads that start whole hold room for their later parts. Where pods that have succeeded do not count, a
/// first part that ends early would keep the later ones from ever being whole.
inline bool holds_room_for_later_parts(const Switches& switches) {
  return switches.later_parts == LaterParts::kRoomForTheWhole && switches.minimum == GroupMinimum::kFinishedToo;
}

inline Duration longest_exemption(const Switches& switches) {
  constexpr std::int64_t kSecondsPerHour = 3600;
  return Duration::seconds(static_cast<std::int64_t>(switches.exempt_hours) * kSecondsPerHour);
}

}  // namespace loadline::gang
