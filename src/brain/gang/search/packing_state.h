#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "brain/gang/search/packing.h"

namespace loadline::gang {

/// A packing in the middle of a search: which members are left, what they are still asked for, and how many nodes there
/// are of each class. Nodes are of one class if as much is free there, the same kinds may go there, and the same
/// excludes others; so a node changes its class with every member that it gets.
class PackingState {
 public:
  explicit PackingState(const Packing& packing);

  [[nodiscard]] std::size_t kinds() const { return left_.size(); }
  /// Members of the kind that have no node yet, and are not left out.
  [[nodiscard]] std::int64_t left(std::size_t kind) const { return left_[kind]; }
  [[nodiscard]] bool is_met() const;
  /// Whether every member that is left is asked for.
  [[nodiscard]] bool asks_for_all() const;

  // ---- classes -----------------------------------------------------------------------------------------------------
  /// The classes that have nodes, in a fixed order.
  [[nodiscard]] std::vector<std::size_t> classes() const;
  [[nodiscard]] std::int64_t nodes(std::size_t room_class) const { return nodes_[room_class]; }
  /// How many members of the kind fit on one node of the class, if no other comes; at most as many as the kind has.
  [[nodiscard]] std::int64_t fit(std::size_t room_class, std::size_t kind) const {
    return classes_[room_class].fit[kind];
  }
  /// What is free on a node of the class once a member of the kind is there, over all dimensions that the kind uses, in
  /// units of 1/1024 of the most that any node has.
  [[nodiscard]] std::int64_t left_over(std::size_t room_class, std::size_t kind) const;
  /// How large a member is, in the same units.
  [[nodiscard]] std::int64_t size(std::size_t kind) const;
  /// The class of each node in the beginning.
  [[nodiscard]] const std::vector<std::size_t>& class_of_node() const { return class_of_node_; }

  // ---- steps -------------------------------------------------------------------------------------------------------
  /// A member goes to a node of the class. Returns the class that the node is of then. REQUIRES: it fits.
  std::size_t put(std::size_t kind, std::size_t room_class);
  void take_back(std::size_t kind, std::size_t room_class, std::size_t then);
  /// The members of the kind that are left are not asked any more. Returns how many.
  std::int64_t leave_out(std::size_t kind);
  void leave_in(std::size_t kind, std::int64_t members) { left_[kind] = members; }

  /// Equal exactly for states of which one has a solution if the other has.
  [[nodiscard]] std::string key() const;

  // ---- bounds ------------------------------------------------------------------------------------------------------
  /// See shortage_of(packing). `is_thorough`: the flow is looked at whatever it costs.
  [[nodiscard]] std::optional<Shortage> shortage(bool is_thorough) const;
  /// If no node has room for two members and all are asked for: where the flow sends them; nullopt: some has. REQUIRES:
  /// shortage(true) found none.
  [[nodiscard]] std::optional<std::vector<PackedMember>> matching() const;  // `node` is a class

 private:
  struct RoomClass {
    std::vector<std::int64_t> free;
    std::size_t admits = 0;  // an index into admitted_
    std::uint64_t holds = 0;
    std::vector<std::int64_t> fit;   // by kind
    std::int64_t most = 0;           // no node of it takes more members, of whatever kinds
    std::vector<std::int64_t> then;  // by kind: the class once a member is there; -1: not yet known
  };
  using ClassKey = std::tuple<std::size_t, std::uint64_t, std::vector<std::int64_t>>;

  std::size_t intern(std::vector<std::int64_t> free, std::size_t admits, std::uint64_t holds);
  void measure(RoomClass& room_class) const;
  [[nodiscard]] std::int64_t most_members(const RoomClass& room_class, const std::vector<std::size_t>& kinds) const;
  [[nodiscard]] bool takes_one_at_most(const RoomClass& room_class, const std::vector<std::size_t>& kinds) const;
  void count(std::size_t room_class, std::int64_t nodes);
  void ask(std::size_t kind, std::int64_t sign);

  [[nodiscard]] std::optional<Shortage> alone(const std::vector<std::size_t>& live) const;
  [[nodiscard]] std::optional<Shortage> sums(const std::vector<std::size_t>& live) const;
  [[nodiscard]] std::optional<Shortage> shared(const std::vector<std::size_t>& live, bool is_thorough) const;
  [[nodiscard]] std::optional<Shortage> flow_of(const std::vector<std::size_t>& kinds, std::int64_t needed,
                                                const std::vector<std::size_t>& live, bool is_thorough) const;
  [[nodiscard]] std::vector<std::size_t> large_kinds(const std::vector<std::size_t>& live) const;
  [[nodiscard]] std::int64_t total_left() const;
  [[nodiscard]] std::size_t nodes_for(const std::vector<std::size_t>& kinds,
                                      const std::vector<std::size_t>& live) const;
  [[nodiscard]] std::vector<std::size_t> kinds_left() const;
  [[nodiscard]] std::int64_t least_sum(std::size_t dimension) const;

  const Packing& packing_;
  std::vector<std::int64_t> left_;
  PackingDemand demand_;  // what is still asked for; not above 0: met
  std::vector<std::int64_t> scale_;
  std::vector<std::vector<bool>> admitted_;
  std::vector<RoomClass> classes_;
  std::map<ClassKey, std::size_t> ids_;
  std::vector<std::int64_t> nodes_;  // by class
  std::vector<std::size_t> class_of_node_;
  std::size_t first_classes_ = 0;                // those of the beginning
  std::map<std::size_t, std::int64_t> changed_;  // by class: how many nodes more than in the beginning; no zeros
};

}  // namespace loadline::gang
