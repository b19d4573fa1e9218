#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::engine {

/// How many pods of a shape and priority could be on nodes at most, if all pods of lower priority were evicted and all
/// reserved room was theirs: the sum over the nodes of how many fit there by what they demand that can be counted,
/// beside those that are nominated there and go before. Affinity, taints, ports and all other rules are left out, so no
/// search finds places for more. What would need more is proven not to fit.
class RoomBound {
 public:
  RoomBound(const cluster::Cluster& cluster, placement::Scheduler& scheduler)
      : cluster_(cluster), scheduler_(scheduler) {}

  /// O(changed nodes × pods on them × different demands that were asked about), amortised; O(pods on nodes) for new
  /// ones. Of more different demands than there is memory for, it knows no bound: kNoLimit.
  std::int64_t of(cluster::ShapeId shape, std::int32_t priority);
  /// Forgets what was not asked about since the last call.
  void forget_unused();

 private:
  /// Shapes that demand the same have the same room.
  using Key = std::tuple<placement::CountableDemand, std::int32_t>;
  struct Less {
    bool operator()(const Key& a, const Key& b) const;
  };
  struct Count {
    std::vector<std::int64_t> by_node;
    std::int64_t total = 0;
    bool is_used = true;
  };

  [[nodiscard]] bool is_full() const;
  void catch_up();
  void recount(const Key& key, Count& count);
  [[nodiscard]] std::int64_t room_on(cluster::NodeId node, const Key& key) const;

  const cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  std::map<Key, Count, Less> counts_;
  cluster::ChangeLog::Mark seen_ = 0;
};

}  // namespace loadline::engine
