#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/room_count.h"

namespace loadline::gang {

/// A unit, and whether it violates a disruption budget if all that are preferred to it leave first.
struct RankedUnit {
  const EvictionUnit* unit = nullptr;
  bool violates_budget = false;
};

/// Places in a list of units, in ascending order.
using UnitSet = std::vector<std::size_t>;

/// Proposes a set of victims by counting room alone: greedily, whatever gains room for most members by each job that
/// ends, and among equals by each second of GPU work that is lost. It looks at each unit by itself, and at the units of
/// one node together, as jobs that share nodes free them only together. So the fewest jobs are found where jobs do not
/// overlap on nodes; where they do, more may be proposed than were needed: finding the fewest is set cover then.
/// O(rounds × placed pods × resources); in a round all are taken that gain as much as when the round began.
class VictimProposal {
 public:
  /// REQUIRES: `units` and `room` outlive it; `room` counts all of them as placed.
  VictimProposal(const cluster::Cluster& cluster, std::span<const RankedUnit> units, RoomCount& room);

  /// A set among the first `end` units that leaves room for `slack` members more of each kind than have to be placed;
  /// nullopt: not even all of these do. `room` is as before on return.
  std::optional<UnitSet> grow(std::size_t end, std::int64_t slack);

 private:
  /// Units that could be taken next, and what that would gain and cost.
  struct Option {
    UnitSet units;
    std::int64_t gain = 0;
    std::int64_t violations = 0;
    std::int64_t jobs = 0;
    std::int64_t gpu_seconds = 0;
    std::int64_t pods = 0;
  };
  static bool is_better(const Option& a, const Option& b);

  [[nodiscard]] bool may_take(std::size_t unit) const;
  [[nodiscard]] std::vector<cluster::PodId> pods_left(std::size_t unit) const;
  [[nodiscard]] std::int64_t gain_of(const UnitSet& units);
  [[nodiscard]] Option best_of_node(const UnitSet& on_node, std::size_t end);
  void weigh(std::size_t unit, Option& option) const;
  void add_single_options(std::size_t end, std::vector<Option>& options);
  void add_node_options(std::size_t end, std::vector<Option>& options);
  void take(std::size_t unit);
  void give_back_all();

  const cluster::Cluster& cluster_;
  std::span<const RankedUnit> units_;
  RoomCount& room_;
  std::set<UnitSet> by_node_;  // what is on nodes that are of use, those first that hold most there
  std::int64_t slack_ = 0;
  std::vector<bool> taken_;                          // by unit
  std::vector<bool> out_;                            // by pod
  std::map<cluster::GroupId, std::size_t> surplus_;  // taken of a group
};

}  // namespace loadline::gang
