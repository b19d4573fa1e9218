#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "brain/gang/search/packing.h"
#include "brain/gang/search/weight_bounds.h"

namespace loadline::gang {

/// A search that fills one node after another, for packings that leave little room: depth first, each step gives a node
/// all that it will get.
///
/// Assumes what pack() does. Example: eight members of 3 or 5 GPUs on four nodes of 8: a node takes 3 and 5, and not 3
/// and 3, since then 2 GPUs would be lost where none may be.
/// 1. Nodes that are alike are a class. A node gets a maximal pattern: no other member that is left fits besides. (If
///    a solution leaves room for one, that member can as well be here.)
/// 2. The class that has the fewest choices is next. Members that can go to no other class have to be on one of its
///    nodes, so the next one takes the largest of them.
/// 3. Bounds (weight_bounds.h) say how much a node may waste. Some are known from the start; others are learned: one at
///    the root, from what the packing lacks, and more from states in the tree that they prove impossible.
/// 4. A state (members left, nodes left by class) that failed is not entered again.
/// Source: A. S. Fukunaga, R. E. Korf, "Bin Completion Algorithms for Multicontainer Packing, Knapsack, and Covering
/// Problems" (2007).
class BinCompletion {
 public:
  BinCompletion(const Packing& packing, std::uint64_t budget);

  /// To be called once. Ends with kBudget, too, if nodes can be filled in too many ways.
  PackingResult run();

 private:
  enum class Outcome : std::uint8_t { kFound, kFailed, kBudget };

  struct RoomClass {
    std::vector<std::int64_t> free;
    std::vector<bool> admits;
    std::uint64_t holds = 0;
    std::vector<std::size_t> nodes;
    std::vector<std::int64_t> fit;  // by kind: how many of it alone
  };
  struct Filled {
    std::size_t room_class = 0;
    NodePattern pattern;
  };

  Outcome descend();
  Outcome fill_one_of(std::size_t room_class);
  [[nodiscard]] std::optional<std::size_t> next_class() const;
  [[nodiscard]] bool is_possible();
  bool know_patterns();
  void know_bounds();
  WeightBound learn(const WeightBound& start, std::size_t rounds);
  bool is_conflict();

  void start_filling(const RoomClass& room_class);
  /// Maximal patterns of members that are left. False: there are too many.
  bool list_patterns(std::size_t room_class, std::vector<NodePattern>& patterns);
  bool list_from(std::size_t at, std::vector<NodePattern>& patterns);
  [[nodiscard]] std::int64_t most_of(std::size_t kind) const;
  [[nodiscard]] bool is_maximal() const;
  [[nodiscard]] bool may_still_suffice(std::size_t at) const;
  [[nodiscard]] std::size_t required_kind(std::size_t room_class) const;

  void fill(const Filled& filled, std::int64_t sign);
  [[nodiscard]] bool is_met() const;
  [[nodiscard]] PackingRest rest() const { return {left_, nodes_, demand_}; }
  [[nodiscard]] std::string key() const;
  [[nodiscard]] std::vector<PackedMember> on_nodes() const;

  const Packing& packing_;
  std::uint64_t budget_;
  std::uint64_t steps_ = 0, looks_ = 0, last_learned_ = 0;
  std::vector<RoomClass> classes_;
  std::vector<std::size_t> order_;  // kinds, the largest first
  ClassPatterns patterns_;          // of all members

  std::vector<std::int64_t> left_;   // by kind
  std::vector<std::int64_t> nodes_;  // by class: that are not filled
  PackingDemand demand_;
  std::vector<Filled> filled_;
  std::vector<WeightBound> bounds_;
  std::vector<std::int64_t> slack_;  // by bound, of the state that is looked at
  std::unordered_set<std::string> failed_;
  std::size_t memory_ = 0, in_tree_ = 0;

  // ---- a node that is being filled ---------------------------------------------------------------------------------
  struct Filling {
    const RoomClass* room_class = nullptr;
    std::size_t required = 0;  // a kind; as many as there are kinds: none
    std::vector<std::int64_t> free;
    std::uint64_t holds = 0, excluded = 0;
    NodePattern pattern;
    std::vector<std::vector<std::int64_t>> may_add;  // by bound and place in order_: what the kinds from there weigh
    std::vector<std::int64_t> lacks;                 // by bound: what has to be added so that not too much is wasted
    std::uint64_t looks = 0;
  };
  Filling filling_;
};

}  // namespace loadline::gang
