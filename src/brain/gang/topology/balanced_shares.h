#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadline::gang {

/// Something that takes members: a node, or a domain.
struct Bin {
  std::size_t index = 0;
  std::int64_t room = 0;
  std::int64_t used = 0;  ///< members that it has already
};

/// How many members each of the bins is given, by place. The fewest bins take part that hold the amount, and each of
/// them gets as equal a share as its room allows:
///  1. so many bins take part as the largest would need;
///  2. the smallest share that so many bins can have at best is the threshold; only bins with as much room take part;
///  3. among them a set with little room altogether is taken, so that large bins stay whole;
///  4. each gets the threshold, and the rest goes to those that have least.
/// Where some bins have members already, and these bins hold the amount, they alone take part, and what they have
/// counts: a leader goes beside its workers, what is added evens out what is there.
/// Example: room for 15, 13 and 10, 23 members: 12, 11 and 0. Room for 20, 10, 22 members: 12 and 10.
/// Step 3 is not exact: of bins in order of their room it takes the first run that suffices, and then smaller ones in
/// place of members of the run; Kueue looks for the least sum by dynamic programming. Nothing: they do not hold it.
/// Source: Kueue v0.19, KEP-2724, Balanced placement (gate TASBalancedPlacement). O(bins × log bins + amount × log
/// bins).
std::vector<std::int64_t> balance(const std::vector<Bin>& bins, std::int64_t amount);

}  // namespace loadline::gang
