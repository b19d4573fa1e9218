#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "brain/decision/unit.h"
#include "brain/engine/try_unit.h"
#include "brain/gang/release.h"

namespace loadline::engine {

/// A unit that waits, and its pods that do.
struct InLine {
  decision::Unit unit;
  std::span<const cluster::PodId> pods;
};

/// Of whose use it may be that a group gives back its room.
enum class Beneficiaries : std::uint8_t {
  kItselfToo,  ///< others, or the group, which begins anew elsewhere
  kOthers,
};

/// So many of those in line are tried in the room of broken groups.
inline constexpr std::size_t kMostBeneficiaries = 32;

/// Which of the broken groups give back their room because it is of use: to one in line, or to the group itself, which
/// begins anew elsewhere. Whoever it is of use to may have a lower priority: a group that cannot be whole makes no use
/// of its room. One group if that is enough, else the fewest of the least important that are; none if it helps nobody.
/// `broken`: the least important first; `line`: in the order of the queue. The cluster is as before on return. Of a
/// group that begins anew it is predicted where.
/// O(broken) times O(kMostBeneficiaries) turns.
std::vector<decision::Eviction> useful_releases(cluster::Cluster& cluster, std::vector<gang::Release> broken,
                                                std::span<const InLine> line, const TryUnit& starts,
                                                Beneficiaries whose = Beneficiaries::kItselfToo);

}  // namespace loadline::engine
