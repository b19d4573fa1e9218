#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::engine {

/// How many pods of a shape and priority could be on nodes at most, if all pods of lower priority were evicted and all
/// reserved room was theirs: the sum over the nodes of how many fit there by requests and by the number of pods, beside
/// those that are nominated there and go before. Affinity, taints, ports and all other rules are left out, so no search
/// finds places for more. What would need more is proven not to fit.
class RoomBound {
 public:
  explicit RoomBound(const cluster::Cluster& cluster) : cluster_(cluster) {}

  /// O(changed nodes × pods on them × different requests that were asked about), amortised; O(pods on nodes) for new
  /// ones.
  std::int64_t of(cluster::ShapeId shape, std::int32_t priority);
  /// Forgets what was not asked about since the last call.
  void forget_unused();

 private:
  /// Shapes that ask for the same have the same room.
  using Key = std::tuple<std::vector<cluster::ResourceAmount>, std::int32_t>;
  struct Less {
    bool operator()(const Key& a, const Key& b) const;
  };
  struct Count {
    std::vector<std::int64_t> by_node;
    std::int64_t total = 0;
    bool is_used = true;
  };

  void catch_up();
  void recount(const Key& key, Count& count);
  [[nodiscard]] std::int64_t room_on(cluster::NodeId node, const Key& key) const;

  const cluster::Cluster& cluster_;
  std::map<Key, Count, Less> counts_;
  cluster::ChangeLog::Mark seen_ = 0;
};

}  // namespace loadline::engine
