#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/placement/reason.h"
#include "foundation/base/contract.h"

namespace loadline::placement {

/// Nodes in classes, and within each class by score, so that the best node of a class is at hand, and moving one node
/// costs O(log nodes) however many there are.
///
/// A class is named by a few numbers; nodes of a class are alike in everything but their score. Nodes stand in the
/// order of their position; of equal scores the first position leads. Nodes that are refused belong to no class.
///
/// Each (class, score) has a heap of positions, of which those that have moved on are dropped when they surface.
class NodeRanking {
 public:
  using ClassKey = std::vector<std::uint32_t>;

  struct EquivalenceClass {
    ClassKey key;
    std::uint32_t nodes = 0;
    std::vector<std::uint32_t> by_score;  ///< buckets, lowest score first
  };

  /// All nodes set aside, in this order. `slots`: all ids are below it, also those of nodes that are not in the order.
  void reset(std::span<const cluster::NodeId> order, std::size_t slots);
  /// There are more ids: those of nodes that are not in the order, which can be set aside only.
  void make_room(std::size_t slots);

  /// The class of that key, made if it is new.
  std::uint32_t class_of(const ClassKey& key);
  [[nodiscard]] const std::vector<EquivalenceClass>& classes() const { return classes_; }

  void enter(cluster::NodeId node, std::uint32_t class_id, std::int64_t score);
  /// The node will be entered or refused soon. Rankings are many and nodes too, so each step would wait for memory.
  void prefetch(cluster::NodeId node) const {
    __builtin_prefetch(&place_[node.index()]);
    __builtin_prefetch(&position_[node.index()]);
  }
  void refuse(cluster::NodeId node, RejectionId rejection);
  /// Neither ranked nor refused: the caller examines the node itself.
  void set_aside(cluster::NodeId node) { refuse(node, RejectionId{}); }

  /// How many nodes were refused, by rejection.
  [[nodiscard]] const std::vector<std::uint32_t>& refused() const { return refused_; }
  /// The node's rejection; invalid if it is set aside, kPassed if it is ranked.
  [[nodiscard]] RejectionId rejection(cluster::NodeId node) const;
  /// REQUIRES: the node is ranked.
  [[nodiscard]] std::uint32_t class_of(cluster::NodeId node) const {
    REQUIRES_SLOW(place_[node.index()] < buckets_.size());
    return buckets_[place_[node.index()]].class_id;
  }

  struct Leader {
    cluster::NodeId node;
    std::int64_t score = 0;
    std::uint32_t position = 0;
  };
  /// REQUIRES: the class has nodes.
  Leader leader(std::uint32_t class_id);

  /// Sorts nodes, and leaves one of each. O(n log n) for few, O(nodes) for many.
  void sort_out(std::vector<cluster::NodeId>& nodes);

  [[nodiscard]] std::uint32_t position(cluster::NodeId node) const { return position_[node.index()]; }
  /// Memory held, about: two columns by node, and the heaps.
  [[nodiscard]] std::size_t bytes() const { return place_.size() * 5 * sizeof(std::uint32_t) + sizeof(*this); }

 private:
  struct Bucket {
    std::int64_t score = 0;
    std::uint32_t class_id = 0;
    std::uint32_t nodes = 0;
    std::vector<std::uint32_t> heap;  // positions, smallest first; may hold some that have moved on
  };
  struct KeyHash {
    std::size_t operator()(const ClassKey& key) const;
  };

  void leave(cluster::NodeId node);
  std::uint32_t bucket(std::uint32_t class_id, std::int64_t score);
  void drop_gone(std::uint32_t bucket);

  std::vector<std::uint32_t> place_;  // by node: a bucket; or kRefused and a rejection
  std::vector<std::uint32_t> position_;
  std::vector<cluster::NodeId> order_;
  std::vector<std::uint32_t> refused_;
  std::vector<EquivalenceClass> classes_;
  std::unordered_map<ClassKey, std::uint32_t, KeyHash> class_by_key_;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_buckets_;
  cluster::NodeSet seen_;  // scratch
};

}  // namespace loadline::placement
