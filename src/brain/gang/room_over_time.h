#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/expected_ends.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::gang {

struct PlannedStart;
struct Waiter;

/// What is free on a node, by resource; less than nothing, if more is planned than there is.
struct RoomOnNode {
  std::vector<std::int64_t> free;  ///< by ResourceId
  std::int64_t pods = 0;

  void take(const cluster::PodShape& shape);
  void give_back(const cluster::PodShape& shape);
  /// How many pods that demand this have room.
  [[nodiscard]] std::int64_t holds(const placement::CountableDemand& demand) const;
};

/// As it is now.
RoomOnNode room_now(const cluster::Cluster& cluster, cluster::NodeId node);
/// Once those have left that end by then. O(resources + pods on the node).
RoomOnNode room_at(const cluster::Cluster& cluster, const ExpectedEnds& ends, cluster::NodeId node, Instant time);

/// Counts whether a waiter could have places at one time after another: for each of its shapes, how many pods of it
/// have room on all nodes together, by what they demand that can be counted, once others have left, and beside those
/// whose starts are planned. All other rules are left out, and shapes do not take room from each other, so a time at
/// which that does not suffice is proven too early.
class RoomOverTime {
 public:
  RoomOverTime(const cluster::Cluster& cluster, placement::Scheduler& scheduler, const ExpectedEnds& ends,
               const std::vector<const PlannedStart*>& others, const Waiter& waiter);

  /// REQUIRES: `time` is not before that of the last call. Amortised O(what left and came since).
  bool suffices(Instant time);

 private:
  struct Kind {
    placement::CountableDemand demand;
    std::int64_t wanted = 0;
    std::int64_t total = 0;
    std::vector<std::int64_t> by_node;
  };

  void recount(cluster::NodeId node);

  const cluster::Cluster& cluster_;
  const ExpectedEnds& ends_;
  const std::vector<const PlannedStart*>& others_;
  std::optional<Duration> run_;
  std::vector<Kind> kinds_;
  std::vector<RoomOnNode> rooms_;  // by node
  std::size_t ended_ = 0;
  std::vector<char> is_put_;  // by place in others_
};

}  // namespace loadline::gang
