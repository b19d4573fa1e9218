#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "brain/gang/switches.h"
#include "brain/gang/topology/balanced_shares.h"
#include "brain/gang/topology/node_room.h"

namespace loadline::gang {

/// So many members go to the node at this place of DomainTree::nodes().
struct Share {
  std::size_t place = 0;
  std::int64_t members = 0;
  friend bool operator==(const Share&, const Share&) = default;
};

/// Members of one kind in slices; size 0: none.
struct Slices {
  std::int64_t size = 0;
  std::size_t level = 0;
  /// By place of a node: members that are there already.
  std::vector<std::int64_t> present;
};

/// What the domains of a tree hold of one kind, and how members are divided among those inside a domain: the fewest, so
/// that large ones stay whole. At each level the largest is filled first, until one holds the rest; then the smallest
/// that does is taken. Where members come in slices, a slice is never divided among domains of its level; one that is
/// there in part is completed where it is.
/// Example: racks with room for 6, 5 and 3; 8 members: 6 in the first, 2 in the third.
/// GroupShares::kBalanced divides them otherwise: see balance() in balanced_shares.h. In the example 4 are in the first
/// and 4 in the second. Source: Kueue v0.19, tas_flavor_snapshot.go, the algorithm BestFit. O(domains + nodes × log
/// nodes).
class DomainPacking {
 public:
  /// `used`, by place of a node, is heeded by kBalanced alone: members that are there, of other kinds, too. Empty:
  /// none.
  DomainPacking(const DomainTree& tree, NodeRoom room, Slices slices = {}, GroupShares shares = GroupShares::kFewest,
                std::vector<std::int64_t> used = {});

  [[nodiscard]] const NodeRoom& room() const { return room_; }
  /// Members that the domain has room for, whether they are in slices or not.
  [[nodiscard]] std::int64_t members(DomainIndex domain) const {
    return sums_[tree_.at(domain).end_node] - sums_[tree_.at(domain).first_node];
  }
  /// Whole new slices that it has room for.
  [[nodiscard]] std::int64_t slices(DomainIndex domain) const { return slices_in_.empty() ? 0 : slices_in_[domain]; }
  /// Exact.
  [[nodiscard]] bool holds(DomainIndex domain, std::int64_t members) const;
  /// In order of the nodes; each node once. Nothing: the domain does not hold them.
  [[nodiscard]] std::optional<std::vector<Share>> pack(DomainIndex domain, std::int64_t members) const;

 private:
  /// What slices ask of a domain of their level: members that complete one there, then whole ones.
  struct Begun {
    DomainIndex domain = 0;
    std::int64_t missing = 0;
  };
  struct Plan {
    bool fits = true;
    std::vector<Begun> completed;
    std::int64_t whole = 0;
    std::int64_t rest = 0;  ///< members of a last slice that is smaller
  };
  [[nodiscard]] bool is_sliced(DomainIndex domain) const;
  [[nodiscard]] Plan plan(DomainIndex domain, std::int64_t members) const;
  [[nodiscard]] std::int64_t begun_missing(DomainIndex domain) const;
  void pack_members(DomainIndex domain, std::int64_t members, NodeRoom& taken) const;
  void pack_slices(DomainIndex domain, std::int64_t slices, std::vector<std::int64_t>& given) const;
  [[nodiscard]] std::vector<std::int64_t> divide(const std::vector<Bin>& bins, std::int64_t amount) const;
  [[nodiscard]] std::int64_t used(DomainIndex domain) const;

  const DomainTree& tree_;
  NodeRoom room_;
  Slices slicing_;
  GroupShares shares_;
  std::vector<std::int64_t> used_sums_;  // members on the nodes before this place; empty: none are there
  std::vector<std::int64_t> sums_;       // room of the nodes before this place
  std::vector<DomainIndex> slice_domains_;
  std::vector<std::int64_t> missing_;    // by domain of the slices' level: members that complete a slice there
  std::vector<std::int64_t> slices_in_;  // by domain: whole ones, beside those completed
};

}  // namespace loadline::gang
