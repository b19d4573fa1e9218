#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "brain/placement/cycle.h"
#include "brain/placement/profile.h"
#include "brain/placement/ranked_search.h"

namespace loadline::placement {

/// The ranked searches of one profile, by the signature and priority of the pods they are for. Those that have not been
/// used for longest are forgotten when all together take too much memory.
class SearchCache {
 public:
  /// The search for the cycle's pod; null if it must be searched for node by node. Amortised O(1) for pods of known
  /// shapes.
  RankedSearch* find(Cycle& cycle, const Profile& profile);

  /// Keeps the counters that searches in use name, which is to be said before Cluster::reclaim().
  void keep_in_use(cluster::Cluster& cluster) const;
  /// Forgets what the cluster reclaimed, and the searches that were not used since the last time. To be called right
  /// after Cluster::reclaim(): if it was not, everything is forgotten.
  void forget_reclaimed(const cluster::Cluster& cluster);

 private:
  struct Entry {
    std::unique_ptr<RankedSearch> search;
    std::uint64_t last_used = 0;
  };
  /// What a shape's signature was made from.
  struct Basis {
    std::uint64_t matching_version = 0;
    std::uint64_t affinity_term_counts = 0;
    std::int32_t priority = 0;
    std::uint64_t forgotten = 0;
    friend bool operator==(const Basis&, const Basis&) = default;
  };
  struct Known {
    std::optional<Basis> basis;  // nullopt: never asked for
    Entry* entry = nullptr;      // null: cannot be ranked
  };

  Entry* look_up(Cycle& cycle, const Profile& profile);
  void make_room();
  template <class Goes>
  void forget(Goes&& goes);
  [[nodiscard]] bool in_use(const Entry& entry) const { return entry.last_used > uses_before_; }

  std::unordered_map<std::string, Entry> searches_;
  std::unordered_map<std::string, std::shared_ptr<FactsView>> views_;  // shared by searches
  std::vector<Known> by_shape_;
  std::size_t next_look_ = 0;  // at how much room they take: how many searches there are then
  std::uint64_t uses_ = 0;
  std::uint64_t forgotten_ = 0;    // grows when searches are forgotten
  std::uint64_t uses_before_ = 0;  // when the cluster last reclaimed
  std::uint64_t reclaims_ = 0;     // of the cluster, that are known here
};

}  // namespace loadline::placement
