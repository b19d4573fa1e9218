#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "brain/gang/search/packing.h"

namespace loadline::gang {

/// The dimension that alone decides, if the members' sizes in it divide each other (1, 2, 4 and 8 GPUs): every member
/// may go to the same nodes, and a node that is full in this dimension has room left in all others. Nullopt: there is
/// none. O(kinds × nodes × dimensions).
std::optional<std::size_t> divisible_dimension(const Packing& packing);

/// Places the members that the demand asks for, the largest first, each on the fullest node that has room; of members
/// that may stay out, the largest stay out. Nullopt: they have no place, in whatever order.
///
/// Why that is exact: let the largest member that is left go to node A, and let some solution have it on B. What the
/// solution has on A within as much room as that member takes can be exchanged with it: smaller sizes divide it, so
/// they fill its room without a rest, or all of them fit into it. Source: E. G. Coffman, M. R. Garey, D. S. Johnson,
/// "Bin packing with divisible item sizes" (1987). REQUIRES: divisible_dimension() names the dimension.
std::optional<std::vector<PackedMember>> largest_first(const Packing& packing, std::size_t dimension);

}  // namespace loadline::gang
