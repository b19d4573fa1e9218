#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::gang {

/// Which pods hold room that is of no use to them.
enum class HeldInVain : std::uint8_t {
  kByGroup,          ///< those of the group: too few, or not those that its subgroups ask for
  kBySubgroup,       ///< those of one of its subgroups, in the same way
  kBeforeLaterPart,  ///< the first ones of the group, while those that are created later find none
  kBeforeGroup,      ///< those of groups that start before the group, while the group itself finds none
};

/// What a group lacks whose pods hold room in vain.
struct Shortfall {
  HeldInVain held = HeldInVain::kByGroup;
  std::size_t subgroup = 0;  ///< kBySubgroup: its place in GroupRules::subgroups
  std::int64_t least = 0;    ///< so many pods start together, of the group or of the subgroup
  friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

/// A group gives back the room that it holds in vain: its pods are to be evicted, and wait for its next start.
struct Release {
  cluster::GroupId group;
  std::vector<cluster::PodId> pods;  ///< in order of creation
  Shortfall shortfall;
};

/// Less is less important: by priority, then by age. O(pods). REQUIRES: there are pods.
std::pair<std::int32_t, std::int64_t> importance(const cluster::Cluster& cluster, const Release& release);

}  // namespace loadline::gang
