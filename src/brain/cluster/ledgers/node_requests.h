#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brain/cluster/facts/resources.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/shapes/shape.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

/// The ledger of room: what each node offers, which pods are on it, and what these use. Columns by node, for loops over
/// many.
class NodeRequests {
 public:
  [[nodiscard]] std::int64_t allocatable(NodeId node, ResourceId resource) const {
    return allocatable_[slot(resource)][slot(node)];
  }
  [[nodiscard]] std::int64_t requested(NodeId node, ResourceId resource) const {
    return requested_[slot(resource)][slot(node)];
  }
  [[nodiscard]] std::int64_t nonzero_cpu(NodeId node) const { return nonzero_cpu_[slot(node)]; }
  [[nodiscard]] std::int64_t nonzero_memory(NodeId node) const { return nonzero_memory_[slot(node)]; }
  [[nodiscard]] std::int64_t allowed_pods(NodeId node) const { return allowed_pods_[slot(node)]; }
  [[nodiscard]] bool has_host_ports(NodeId node) const { return port_users_[slot(node)] > 0; }
  [[nodiscard]] const std::vector<PodId>& pods_on(NodeId node) const { return pods_on_[slot(node)]; }

  /// Valid until a node or a resource is added.
  [[nodiscard]] std::span<const std::int64_t> allocatable(ResourceId resource) const {
    return allocatable_[slot(resource)];
  }
  [[nodiscard]] std::span<const std::int64_t> requested(ResourceId resource) const {
    return requested_[slot(resource)];
  }
  [[nodiscard]] std::span<const std::int64_t> nonzero_cpu() const { return nonzero_cpu_; }
  [[nodiscard]] std::span<const std::int64_t> nonzero_memory() const { return nonzero_memory_; }

  /// There are so many nodes and resources now, none fewer than before.
  void make_room_for(std::size_t nodes, std::size_t resources) {
    allocatable_.resize(resources);
    requested_.resize(resources);
    for (auto& column : allocatable_) column.resize(nodes);
    for (auto& column : requested_) column.resize(nodes);
    for (auto* column : {&nonzero_cpu_, &nonzero_memory_, &allowed_pods_}) column->resize(nodes);
    port_users_.resize(nodes);
    pods_on_.resize(nodes);
  }
  /// What the node offers from now on.
  void offer(NodeId node, const std::vector<ResourceAmount>& amounts, std::int64_t pods) {
    for (auto& column : allocatable_) column[slot(node)] = 0;
    for (const ResourceAmount& entry : amounts) allocatable_[slot(entry.resource)][slot(node)] = entry.amount;
    allowed_pods_[slot(node)] = pods;
  }

  /// The pod is the `position`th of those on the node.
  void insert(PodId pod, NodeId node, std::size_t position) {
    std::vector<PodId>& pods = pods_on_[slot(node)];
    pods.insert(pods.begin() + static_cast<std::ptrdiff_t>(position), pod);
  }
  /// Returns its position. REQUIRES: the pod is on the node.
  std::size_t remove(PodId pod, NodeId node) {
    std::vector<PodId>& pods = pods_on_[slot(node)];
    const auto found = std::find(pods.begin(), pods.end(), pod);
    REQUIRES(found != pods.end());
    const auto position = static_cast<std::size_t>(found - pods.begin());
    pods.erase(found);
    return position;
  }
  /// Adds what a pod of the shape uses to what is used on the node (`sign` 1), or subtracts it (-1).
  void count(const PodShape& shape, NodeId node, std::int32_t sign) {
    const std::size_t n = slot(node);
    for (const ResourceAmount& entry : shape.usage) requested_[entry.resource.index()][n] += sign * entry.amount;
    nonzero_cpu_[n] += sign * shape.nonzero_cpu;
    nonzero_memory_[n] += sign * shape.nonzero_memory;
    if (!shape.host_ports.empty()) port_users_[n] += sign;
  }

 private:
  [[nodiscard]] std::size_t slot(NodeId id) const {
    REQUIRES_SLOW(id.index() < pods_on_.size());
    return id.index();
  }
  [[nodiscard]] std::size_t slot(ResourceId id) const {
    REQUIRES_SLOW(id.index() < requested_.size());
    return id.index();
  }

  std::vector<std::vector<std::int64_t>> allocatable_;  // [resource][node]
  std::vector<std::vector<std::int64_t>> requested_;    // [resource][node]
  std::vector<std::int64_t> nonzero_cpu_, nonzero_memory_, allowed_pods_;
  std::vector<std::int32_t> port_users_;
  std::vector<std::vector<PodId>> pods_on_;
};

}  // namespace loadline::cluster
