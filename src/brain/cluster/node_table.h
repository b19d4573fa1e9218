#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "brain/cluster/facts/node_facts.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/unused_ids.h"
#include "foundation/base/contract.h"
#include "objects/kube/core/node.h"

namespace loadline::cluster {

/// What nodes are, whatever runs on them. The id of a node that is gone is given to the next new one.
class NodeTable {
 public:
  [[nodiscard]] std::size_t size() const { return in_order_.size(); }
  /// All ids are below it, also those of nodes that are gone.
  [[nodiscard]] std::size_t slots() const { return facts_.size(); }
  [[nodiscard]] bool is_node(NodeId id) const { return id.index() < facts_.size() && facts_[id.index()].name.valid(); }
  /// In order of creation.
  [[nodiscard]] const std::vector<NodeId>& in_order() const { return in_order_; }
  /// In the order in which kube-scheduler lists them: zones in turn, each in order of creation.
  [[nodiscard]] const std::vector<NodeId>& scan_order() const {
    if (!are_places_settled_) settle_places();
    return scan_order_;
  }
  /// Where the node stands in scan_order(): of two nodes, the one whose place is less comes first. A node that comes,
  /// or the last one of its zone that goes, leaves all others their places.
  [[nodiscard]] std::uint64_t scan_place(NodeId id) const {
    if (!are_places_settled_) settle_places();
    return scan_places_[slot(id)];
  }
  [[nodiscard]] bool older(NodeId a, NodeId b) const { return created_[slot(a)] < created_[slot(b)]; }
  [[nodiscard]] const NodeFacts& facts(NodeId id) const { return facts_[slot(id)]; }
  [[nodiscard]] const kube::Node& object(NodeId id) const { return objects_[slot(id)]; }
  /// Changes with the node, and is never another node's.
  [[nodiscard]] std::uint64_t version(NodeId id) const { return versions_[slot(id)]; }
  /// Invalid: there is none of that name.
  [[nodiscard]] NodeId find(Symbol name) const;

  /// O(1) amortised; if scan_order() was asked for since all places were settled, O(nodes) moves of a few bytes.
  NodeId add(const kube::Node& node, NodeFacts facts);
  void set_object(NodeId id, const kube::Node& node) { objects_[slot(id)] = node; }
  void set_facts(NodeId id, NodeFacts facts);
  /// The node has another version from now on.
  void touch(NodeId id) { versions_[slot(id)] = ++changes_; }
  /// Returns whether all others keep their places in scan_order().
  bool remove(NodeId id);

  /// A node that was taken out to be put back, maybe.
  struct Masked {
    NodeFacts facts;
    kube::Node object;
    std::uint64_t created = 0;
    std::uint64_t version = 0;
  };
  [[nodiscard]] Masked copy_of(NodeId id) const { return {facts(id), object(id), created_[slot(id)], version(id)}; }
  /// Puts the node back, as if it had never been removed. REQUIRES: its id was the last to come free.
  void restore(NodeId id, Masked masked);

 private:
  /// Of one zone.
  struct Zone {
    std::uint32_t order = 0;  // of the first node's creation
    std::uint32_t nodes = 0;
  };

  void settle_places() const;
  void take_place(NodeId id) const;
  bool leave_place(NodeId id);
  [[nodiscard]] std::size_t slot(NodeId id) const {
    REQUIRES_SLOW(id.index() < facts_.size());
    return id.index();
  }

  // By node.
  std::vector<NodeFacts> facts_;
  std::vector<kube::Node> objects_;
  std::vector<std::uint64_t> created_;  // order of creation
  std::vector<std::uint64_t> versions_;

  std::vector<NodeId> in_order_;
  // Where nodes stand in scan order. As long as it was not asked for, or a node left from the middle, all is found
  // anew.
  mutable bool are_places_settled_ = false;
  mutable std::vector<NodeId> scan_order_;
  mutable std::vector<std::uint64_t> scan_places_;  // by node: its number within the zone, and the zone's order
  mutable std::unordered_map<Symbol, Zone> zones_;
  mutable std::uint32_t zones_made_ = 0;
  UnusedIds<NodeId> unused_;
  std::uint64_t nodes_created_ = 0;
  std::uint64_t changes_ = 0;
  std::unordered_map<Symbol, NodeId> by_name_;
};

}  // namespace loadline::cluster
