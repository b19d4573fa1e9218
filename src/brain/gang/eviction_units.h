#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/switches.h"
#include "foundation/base/time.h"

namespace loadline::gang {

/// Pods that leave together, or stay together, when room is made for others.
struct EvictionUnit {
  std::vector<cluster::PodId> pods;  ///< in order of creation
  cluster::GroupId group;            ///< whose members they are; invalid: of none
  bool is_surplus = false;           ///< one member of a group that goes on without it
  /// So many members may leave while the group goes on: of the unit that is a whole group, and of its surplus members.
  std::size_t spare = 0;
  std::int32_t priority = 0;
  std::int64_t gpu_seconds = 0;  ///< work that is lost: run time × GPUs, since the start or the last checkpoint
  std::int64_t pod_seconds = 0;  ///< the same, run time × pods
  friend bool operator==(const EvictionUnit&, const EvictionUnit&) = default;
};

/// Which pods may leave for a preemptor.
struct EvictionRules {
  GroupVictims victims = GroupVictims::kWholeGroups;
  cluster::GroupId preemptor;  ///< the group that wants room: its own members stay; invalid: a pod of none wants it
  std::int32_t priority = 0;   ///< of who wants room: only what is below leaves
  Instant now;
  Duration exemption = longest_exemption(Switches{});  ///< what a pod may claim for itself
};

struct EvictionUnits {
  std::vector<EvictionUnit> units;      ///< in order of the creation of their nodes
  std::vector<cluster::PodId> leaving;  ///< pods on nodes that are terminating already
  std::size_t exempt = 0;               ///< units that stay because they have run for less than they are granted
};

/// What the group's object says, else the highest priority of its members: so a group with one important member is not
/// taken for an unimportant one.
std::int32_t priority_of(const cluster::Cluster& cluster, cluster::GroupId group);

/// Whether all of the group leaves, or none but its surplus members; else each member leaves by itself.
[[nodiscard]] bool is_one_unit(const cluster::PodGroup& group, GroupVictims victims);

/// The units of lower priority than who wants room. kWholeGroups: a group with a minimum above one is a unit, and each
/// of its members another as long as the group has more than its minimum. kByDisruptionMode: a group is a unit if its
/// object says so, and its members are none. Any other pod is a unit by itself. Placeholders of reservations stay, and
/// so does what has run less than its annotation loadline.dev/minimum-run-time grants, up to the longest exemption.
/// O(placed pods).
EvictionUnits eviction_units(const cluster::Cluster& cluster, const EvictionRules& rules);

/// Whether these pods may leave as they are: no group is broken up by that, and none of them is exempt. O(pods).
bool may_leave(const cluster::Cluster& cluster, const EvictionRules& rules, std::span<const cluster::PodId> pods);

/// The units that pods make who were chosen to leave, in the order of their first pods: a group whose running members
/// are all among them, members that a group can spare, pods by themselves. REQUIRES: they are on nodes, none of them is
/// terminating or named twice. O(pods × members).
std::vector<EvictionUnit> units_of(const cluster::Cluster& cluster, GroupVictims together, Instant now,
                                   std::span<const cluster::PodId> pods);

}  // namespace loadline::gang
