#pragma once

#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>

#include "brain/gang/topology/domain_trees.h"
#include "brain/gang/topology/topology_refusal.h"

namespace loadline::gang {

/// A TopologyWish in terms of a tree.
struct Closeness {
  const DomainTree* tree = nullptr;
  bool is_flat = false;         ///< of one label alone, as Kubernetes' constraints are
  std::size_t start = 0;        ///< the level that is tried first,
  std::size_t ceiling = 0;      ///< and the broadest; 0: anywhere
  std::int32_t slice_size = 0;  ///< 0: no slices
  std::size_t slice_level = 0;
  bool slices_are_whole = false;  ///< members beyond the last whole slice find no place
  bool has_preference = false;    ///< a level is preferred, whether one is required or not

  /// Whether there are placements that it refuses.
  [[nodiscard]] bool is_strict() const { return ceiling > 0 || slice_size > 0; }
};

/// Errors: the topology or a level is unknown, or what is asked for contradicts itself.
/// REQUIRES: !wish.empty().
tl::expected<Closeness, WishFault> resolve(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
                                           DomainTrees& trees);

}  // namespace loadline::gang
