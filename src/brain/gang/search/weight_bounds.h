#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brain/gang/search/packing.h"

namespace loadline::gang {

/// A fact about a packing that holds in every state of its search: each member of a kind weighs so much, and a node of
/// a class takes so much weight at most, whatever members of the packing it gets. What has to be placed must not weigh
/// more than the nodes that are left take.
///
/// Every weighting is such a bound: requests in one dimension (sums), 1 for every member (counts), 1 for large ones
/// (Martello and Toth's L2). Weightings that prove a state impossible are the conflicts that a search learns.
struct WeightBound {
  std::vector<std::int64_t> weight;    ///< by kind; not below 0
  std::vector<std::size_t> ascending;  ///< the kinds, the lightest first
  std::vector<std::int64_t> most;      ///< by class
};

/// How many members of each kind a node gets.
using NodePattern = std::vector<std::int64_t>;

/// By class: patterns of which every set of members that fits is a part of one.
using ClassPatterns = std::vector<std::vector<NodePattern>>;

/// What is left to be placed, and where.
struct PackingRest {
  std::span<const std::int64_t> members;  ///< by kind
  std::span<const std::int64_t> nodes;    ///< by class
  const PackingDemand& demand;            ///< what is still asked for; not above 0: met
};

WeightBound weight_bound(std::vector<std::int64_t> weight, const ClassPatterns& patterns);

/// How much the nodes take beyond the least that the demand weighs; below 0 proves that it cannot be met. O(kinds ×
/// parts of the demand + classes).
std::int64_t slack_of(const WeightBound& bound, const PackingRest& rest);

struct LearnedBound {
  WeightBound bound;
  std::size_t rounds = 0;  ///< that it took
};

/// Looks for a weighting that proves the rest impossible, or else leaves little slack: so many rounds of a subgradient
/// method on the dual of the configuration program (P. C. Gilmore, R. E. Gomory, "A linear programming approach to the
/// cutting-stock problem", 1961), in whole numbers. What it returns is a bound whatever the rounds came to.
/// O(rounds × patterns × kinds).
LearnedBound learn_weights(const PackingRest& rest, const ClassPatterns& patterns, WeightBound start,
                           std::size_t rounds);

}  // namespace loadline::gang
