#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/engine/room_bound.h"
#include "brain/engine/unit.h"
#include "brain/placement/cycle.h"

namespace loadline::engine {

/// When units that failed have another turn.
enum class Retries : std::uint8_t {
  kAtOnce,  ///< time stands still between their turns: what a change might help comes after all that is untried
  /// Time has passed, so that backing off is over: what a change might help stands by priority and age again. What
  /// needs more room than there can be for it has no turn, for it would fail: see RoomBound. Hosts hear nothing of it.
  kWithRoom,
};

/// What a unit that failed cannot do without: room for so many pods of a shape and priority.
struct Need {
  cluster::ShapeId shape;
  std::int32_t priority = 0;
  std::int64_t pods = 1;
  friend auto operator<=>(const Need&, const Need&) = default;
};

/// Units that wait for their turn, and units whose attempt failed.
///
/// Order: priority, then age; a group stands where its best pod stands that waits, with its own priority if it has one.
/// A unit that failed is parked until something happens that might help it; then it backs off: it comes after all units
/// that have not been tried since, those with fewer failures first (1 s, 2 s, … 10 s windows). As upstream pops the
/// backoff queue when nothing else waits (SchedulerPopFromBackoffQ), no time is lost. A wake-up may turn out useless,
/// but no unit that a change could help is left out. Source: kube-scheduler v1.36, backend/queue; docs/differences.md
/// on hints.
class SchedulingQueue {
 public:
  explicit SchedulingQueue(const cluster::Cluster& cluster, Retries retries = Retries::kAtOnce)
      : cluster_(cluster), retries_(retries) {}

  void push(cluster::PodId pod);
  /// A member of the group waits: it has a turn with those that wait already, even if these are parked. O(log units).
  void push(cluster::GroupId group, cluster::PodId member);
  /// Some of the group's members wait no longer, or its priority is another: it stands where the others say.
  /// O(members). REQUIRES: it is in the queue, or parked, and some member waits.
  void rank(cluster::GroupId group, const std::vector<cluster::PodId>& waiting);
  [[nodiscard]] bool has(cluster::GroupId group) const { return group_ranks_.contains(group); }
  /// The next unit, or nothing if all that wait are parked.
  std::optional<Unit> pop();
  /// After a failed attempt. `refused_by`: the plugins that refused a pod of the unit, whether in the attempt or in the
  /// dry runs of its preemption. `need`: nothing if that is not known.
  void park(Unit unit, const std::vector<std::string_view>& refused_by, const std::optional<Need>& need = {});
  /// The unit waits no longer, and its failures are forgotten. O(log units). REQUIRES: of a pod, the cluster knows it
  /// still, or its record as it was removed, and its priority is what it was when it was pushed.
  void remove(Unit unit);

  /// A pod was placed: may help parked units with pod affinity or topology spread constraints.
  void pod_placed(cluster::PodId pod);
  /// A pod is being deleted, and still holds its resources: may help pods with topology spread constraints, which do
  /// not count it.
  void pod_leaving(cluster::PodId pod);
  /// A pod left, or a node changed: may help any parked unit.
  void wake_all();
  /// The same, but of those that need equal room only the first, as many as `bound` says there is room for.
  void wake_with_room(RoomBound& bound);
  /// A pod's own victims are gone, or its nomination was taken away.
  void wake(Unit unit);
  /// The unit had its way: its next failure is its first.
  void forget_failures(Unit unit) { failures_.erase(unit); }

  /// At most so many units that wait, parked or not, in order of priority and age, and none of those `without`.
  /// O(units that wait · log).
  [[nodiscard]] std::vector<Unit> first_in_line(std::size_t units, const std::set<Unit>& without = {}) const;
  /// By priority and age. REQUIRES: both wait; of groups, that they are known to the queue.
  [[nodiscard]] bool goes_before(Unit a, Unit b) const { return rank_of(a) < rank_of(b); }

  [[nodiscard]] bool empty() const { return active_.empty() && backoff_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return active_.size() + backoff_.size(); }
  /// All units that wait, parked ones among them.
  [[nodiscard]] std::size_t size() const { return waiting() + parked_.size(); }

 private:
  using Rank = std::tuple<std::int64_t, std::uint64_t>;  // -priority, age
  using ActiveKey = std::tuple<Rank, Unit>;
  using BackoffKey = std::tuple<std::int64_t, Rank, Unit>;  // window

  struct Parked {
    bool by_affinity = false;
    bool by_spread = false;
    bool by_extender = false;
    std::optional<Need> need = {};
  };

  [[nodiscard]] bool helps(const cluster::PodShape& placed, cluster::PodId parked, const Parked& why) const;
  [[nodiscard]] bool helps(const cluster::PodShape& placed, Unit parked) const;
  void back_off(Unit unit);
  void forget_parked(Unit unit);
  void note_need(Unit unit, const std::optional<Need>& need);
  [[nodiscard]] Rank rank_of(cluster::PodId pod) const;
  [[nodiscard]] Rank rank_of(cluster::GroupId group, cluster::PodId member) const;
  [[nodiscard]] Rank rank_of(Unit unit) const;
  [[nodiscard]] BackoffKey backoff_key(Unit unit) const;

  const cluster::Cluster& cluster_;
  Retries retries_;
  std::set<ActiveKey> active_;
  std::set<BackoffKey> backoff_;
  std::unordered_map<Unit, Parked> parked_;
  std::map<Need, std::set<ActiveKey>> parked_by_need_;  // those of parked_ whose need is known
  std::set<Unit> unknown_needs_;                        // the others
  std::set<Unit> wakeable_by_placement_;                // parked for an unmet pod affinity or for skew
  std::unordered_map<Unit, std::int64_t> failures_;
  std::unordered_map<cluster::GroupId, Rank> group_ranks_;  // of groups that wait
};

}  // namespace loadline::engine
