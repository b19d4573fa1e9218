#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::engine {

/// How many pods of a shape the nodes could hold if no other pod were on any of them: by the filters that nothing but
/// another node could satisfy (selectors, taints, what a node offers at most), and by what they demand that can be
/// counted. What needs more cannot start on these nodes, whoever leaves. Pods that wait for other objects than nodes
/// (others to be near to, claims) are not judged.
class EmptyRoom {
 public:
  EmptyRoom(const cluster::Cluster& cluster, placement::Scheduler& scheduler)
      : cluster_(cluster), scheduler_(scheduler) {}

  /// Whether `least` of the pods could be on nodes at one time; true, too, if that cannot be told.
  /// O(nodes × filters) for each new shape, since nodes last changed. REQUIRES: as Scheduler::decide().
  bool could_hold(std::span<const cluster::PodId> pods, std::size_t least);
  /// Ids of shapes are about to be given to others.
  void forget() { rooms_.clear(); }
  /// Whether the nodes are still those that earlier answers were about.
  [[nodiscard]] bool is_current() const { return seen_ == cluster_.facts_changes().end(); }

 private:
  std::int64_t of(cluster::PodId pod);

  const cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  std::map<cluster::ShapeId, std::int64_t> rooms_;
  cluster::ChangeLog::Mark seen_ = 0;
};

}  // namespace loadline::engine
