#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "brain/gang/search/packing.h"

namespace loadline::gang {

/// What is left of a search over the model, as far as room goes: views of what the search keeps.
struct RoomLeft {
  std::span<const PackingKind* const> kinds;
  std::span<const std::int64_t> members;          ///< by kind: how many are left
  std::span<const PackingNode> nodes;             ///< `admits` is not read
  const std::vector<std::vector<bool>>& reaches;  ///< by kind and node: whether members may go there; empty: nowhere
  const PackingDemand& demand;
};

/// Whether room for each kind alone, or the sum of what is free in one dimension, proves that the demand cannot be met.
/// It is what costs least of shortage_of(): nothing is copied. False proves nothing. O(kinds × nodes × dimensions).
bool is_short(const RoomLeft& left);

}  // namespace loadline::gang
