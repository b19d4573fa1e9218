#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace loadline::gang {

/// Members that mind each other for room alone, as numbers: no cluster, no filter. Kinds, nodes and dimensions are
/// indices.

/// How many members have to be placed.
struct PackingDemand {
  std::int64_t total = 1;
  /// So many at least of the members of these kinds.
  struct Part {
    std::vector<std::size_t> kinds;
    std::int64_t least = 0;
  };
  std::vector<Part> parts;
};

/// Members that are alike.
struct PackingKind {
  std::int64_t count = 0;
  std::vector<std::int64_t> request;  ///< by dimension; what is not above 0 is not compared with anything
  std::uint64_t is = 0;               ///< what it is to those that exclude it: bits
  std::uint64_t excludes = 0;         ///< with none of these it shares a node; of two kinds either excludes the other
};

struct PackingNode {
  std::vector<std::int64_t> free;  ///< by dimension
  std::vector<bool> admits;        ///< by kind: whether members may go there at all
  std::uint64_t holds = 0;         ///< what is there already, to those that exclude it
};

struct Packing {
  std::vector<PackingKind> kinds;
  std::vector<PackingNode> nodes;
  PackingDemand demand;
};

/// Why there is no placement: what a proof rests on.
struct Shortage {
  enum class Cause : std::uint8_t {
    kAlone,   ///< the nodes have room for `available` members of one kind, and `needed` have to be placed
    kSum,     ///< `needed` of the dimension are asked for, and `available` of it is where the members may go
    kShared,  ///< the nodes that these kinds may go to have room for `available` of them, and `needed` have to be
              ///< placed
    kTried,   ///< all that was left to be tried was tried, or would have come to the same
  };
  Cause cause = Cause::kTried;
  std::vector<std::size_t> kinds;  ///< those that have too little; empty: all of them
  std::size_t dimension = 0;       ///< of kSum
  std::int64_t needed = 0;
  std::int64_t available = 0;
  std::size_t nodes = 0;  ///< of kAlone and kShared: that any of the kinds may go to as it is
};

/// A bound that proves that the demand cannot be met; nullopt: none does, which proves nothing. Bounds: room for each
/// kind alone, which is exact if there is one; sums by dimension; and the largest flow from kinds to nodes, which is
/// exact if no node has room for two members. O(kinds × nodes × dimensions), and the flow.
std::optional<Shortage> shortage_of(const Packing& packing);

/// A member of the kind goes to the node.
struct PackedMember {
  std::size_t kind = 0;
  std::size_t node = 0;
};

struct PackingResult {
  enum class Ending : std::uint8_t { kFound, kProven, kBudget };
  Ending ending = Ending::kBudget;
  std::vector<PackedMember> members;  ///< of kFound
  Shortage shortage;                  ///< of kProven
  std::uint64_t steps = 0;            ///< nodes of the search tree; those that many kinds or nodes make dear count more
};

/// Finds places for as many members as the demand asks for, or proves that there are none, or ends when it has taken
/// `budget` steps.
///
/// Assumes: a member fits on a node that admits it if no request above 0 exceeds what is free there, and nothing is
/// there that either excludes; then it uses its requests. Fewer members are never harder to place.
/// 1. A bound that is violated is proof.
/// 2. One kind is counted. One scarce dimension with sizes that divide each other: the largest go first, which is exact
///    (whatever a large one displaces fits where it would have gone).
/// 3. Depth first, member by member: the kind with the fewest nodes next, of equal ones the largest; the fullest node
///    first. Nodes that are alike are one class, members that are alike one kind, and a state (members left, nodes by
///    class) that failed is not entered again.
/// 4. If that has not ended soon, node by node (bin_completion.h), which is what tells packings that fill several
///    dimensions to the last unit; and if nodes can be filled in too many ways for that, member by member to the end.
/// Source: the bounds are those of vector bin packing; L. Martello, P. Toth, "Knapsack Problems" (1990), chapter 8, for
/// the search; Hall's theorem for the shared nodes.
PackingResult pack(const Packing& packing, std::uint64_t budget);

}  // namespace loadline::gang
