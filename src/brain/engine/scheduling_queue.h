#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/unit.h"
#include "brain/engine/room_bound.h"
#include "brain/placement/wake_ups.h"
#include "foundation/base/time.h"

namespace loadline::engine {

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
/// A unit that failed is parked until something happens that might help it. Until its backoff is over (1 s, 2 s, … 10 s
/// after it failed, cut to whole seconds) it then comes after all units that do not back off: those first whose backoff
/// ends first. As upstream pops the backoff queue when nothing else waits (SchedulerPopFromBackoffQ), no time is lost.
/// A wake-up may turn out useless, but no unit that a change could help is left out. Source: kube-scheduler v1.36,
/// backend/queue/backoff_queue.go; docs/differences.md on hints.
class SchedulingQueue {
 public:
  explicit SchedulingQueue(const cluster::Cluster& cluster) : cluster_(cluster) {}

  /// What time it is: backoffs end. It never goes back.
  void set_now(Instant now) { now_ = now; }

  void push(cluster::PodId pod);
  /// A member of the group waits: it has a turn with those that wait already, even if these are parked. O(log units).
  void push(cluster::GroupId group, cluster::PodId member);
  /// Some of the group's members wait no longer, or its priority is another: it stands where the others say.
  /// O(members). REQUIRES: it is in the queue, or parked, and some member waits.
  void rank(cluster::GroupId group, const std::vector<cluster::PodId>& waiting);
  [[nodiscard]] bool has(cluster::GroupId group) const { return group_ranks_.contains(group); }
  /// The next unit, or nothing if all that wait are parked.
  std::optional<decision::Unit> pop();
  /// After a failed attempt. `by`: what may help, as those say who refused a pod of the unit, whether in the attempt or
  /// in the dry runs of its preemption. `need`: nothing if that is not known.
  void park(decision::Unit unit, const placement::WakeUps& by, const std::optional<Need>& need = {});
  /// Instead of an attempt, which would have been in vain. The first one counts as if it had been made; else its
  /// failures stay as they are.
  void park_untried(decision::Unit unit, const std::optional<Need>& need);
  /// The unit waits no longer, and its failures are forgotten. O(log units). REQUIRES: of a pod, the cluster knows it
  /// still, or its record as it was removed, and its priority is what it was when it was pushed.
  void remove(decision::Unit unit);

  /// A pod was placed: may help parked units with pod affinity or topology spread constraints.
  void pod_placed(cluster::PodId pod);
  /// A pod is being deleted, and still holds its resources: may help pods with topology spread constraints, which do
  /// not count it.
  void pod_leaving(cluster::PodId pod);
  /// A pod left, or a node changed, which may help any parked unit: the next wake_with_room() wakes those it may help.
  void room_changed() { room_changed_ = ++steps_; }
  [[nodiscard]] bool is_room_changed() const { return room_changed_ > room_settled_; }
  /// Wakes those that room_changed() may help: of those that need equal room only the first, as many as `bound` says
  /// there is room for. O(parked units), and the bound.
  void wake_with_room(RoomBound& bound);
  /// Wakes all units, and notes of each that it is asked again: the reasons why it waits may be others by now.
  void wake_all();
  /// Whether it has not failed since it came, or had its way.
  [[nodiscard]] bool is_new(decision::Unit unit) const { return !failures_.contains(unit); }
  /// Whether it has not failed since wake_all(). Its next failure does not count then: that is asked for its reasons
  /// alone.
  bool spare_if_asked_again(decision::Unit unit);
  /// A pod's own victims are gone, or its nomination was taken away.
  void wake(decision::Unit unit);
  /// A pod of the unit is nominated: it has room of its own, so what the unit needs beside that is not known.
  void forget_need(decision::Unit unit);
  /// The unit had its way: its next failure is its first.
  void forget_failures(decision::Unit unit) { failures_.erase(unit); }

  /// At most so many units that wait, parked or not, in order of priority and age, and none of those `without`.
  /// O(units that wait · log).
  [[nodiscard]] std::vector<decision::Unit> first_in_line(std::size_t units,
                                                          const std::set<decision::Unit>& without = {}) const;
  /// By priority and age. REQUIRES: both wait; of groups, that they are known to the queue.
  [[nodiscard]] bool goes_before(decision::Unit a, decision::Unit b) const { return rank_of(a) < rank_of(b); }

  [[nodiscard]] bool empty() const { return active_.empty() && backoff_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return active_.size() + backoff_.size(); }
  /// All units that wait, parked ones among them.
  [[nodiscard]] std::size_t size() const { return waiting() + parked_.size(); }

 private:
  using Rank = std::tuple<std::int64_t, std::uint64_t>;  // -priority, age
  using ActiveKey = std::tuple<Rank, decision::Unit>;
  using BackoffKey = std::tuple<Instant, Rank, decision::Unit>;  // the second in which its backoff ends

  static constexpr Instant kBeforeAll{std::numeric_limits<std::int64_t>::min()};
  struct Failures {
    std::int64_t count = 0;
    Instant backs_off_until = kBeforeAll;
    bool is_asked_again = false;
    bool is_spared = false;
  };
  struct Parked {
    placement::WakeUps wakes = {};
    std::uint64_t since = 0;  // of steps_
    std::optional<Need> need = {};
  };

  [[nodiscard]] bool helps(const cluster::PodShape& placed, cluster::PodId parked, const Parked& why) const;
  [[nodiscard]] bool helps(const cluster::PodShape& placed, decision::Unit parked) const;
  void count_failure(decision::Unit unit);
  void keep_parked(decision::Unit unit, const Parked& why);
  void unpark(decision::Unit unit);
  void forget_parked(decision::Unit unit);
  void take_from_needs(decision::Unit unit, const std::optional<Need>& need);
  void end_backoffs();
  [[nodiscard]] Rank rank_of(cluster::PodId pod) const;
  [[nodiscard]] Rank rank_of(cluster::GroupId group, cluster::PodId member) const;
  [[nodiscard]] Rank rank_of(decision::Unit unit) const;
  [[nodiscard]] BackoffKey backoff_key(decision::Unit unit) const;

  const cluster::Cluster& cluster_;
  Instant now_;
  std::uint64_t steps_ = 0;         // grows with what is parked, and with what may help
  std::uint64_t room_changed_ = 0;  // when that was last so
  std::uint64_t room_settled_ = 0;  // the room_changed_ for which wake_with_room() was last called
  std::set<ActiveKey> active_;
  std::set<BackoffKey> backoff_;
  std::unordered_map<decision::Unit, Parked> parked_;
  std::map<Need, std::set<ActiveKey>> parked_by_need_;  // those of parked_ whose need is known
  std::set<decision::Unit> unknown_needs_;              // the others
  std::set<decision::Unit> wakeable_by_placement_;      // parked for an unmet pod affinity or for skew
  std::unordered_map<decision::Unit, Failures> failures_;
  std::unordered_map<cluster::GroupId, Rank> group_ranks_;  // of groups that wait
};

}  // namespace loadline::engine
