#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "brain/cluster/ids.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

/// The ledger of nominations: which pods preemption makes room for, and where. PodRecord::nominated says the same from
/// the pod's side.
class Nominations {
 public:
  /// In order of nomination.
  [[nodiscard]] const std::vector<PodId>& to(NodeId node) const {
    REQUIRES_SLOW(node.index() < by_node_.size());
    return by_node_[node.index()];
  }
  /// Nodes that pods are nominated to, in no particular order.
  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }

  void make_room_for(std::size_t node_slots) { by_node_.resize(node_slots); }

  /// The pod is the `position`th of those nominated to the node. REQUIRES: it is not one of them.
  void insert(PodId pod, NodeId node, std::size_t position) {
    std::vector<PodId>& pods = by_node_[node.index()];
    if (pods.empty()) nodes_.push_back(node);
    pods.insert(pods.begin() + static_cast<std::ptrdiff_t>(position), pod);
  }
  /// Returns its position. REQUIRES: the pod is nominated to the node.
  std::size_t remove(PodId pod, NodeId node) {
    std::vector<PodId>& pods = by_node_[node.index()];
    const auto found = std::find(pods.begin(), pods.end(), pod);
    REQUIRES(found != pods.end());
    const auto position = static_cast<std::size_t>(found - pods.begin());
    pods.erase(found);
    if (pods.empty()) std::erase(nodes_, node);
    return position;
  }

 private:
  std::vector<std::vector<PodId>> by_node_;
  std::vector<NodeId> nodes_;
};

}  // namespace loadline::cluster
