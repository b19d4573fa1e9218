#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/unit_record.h"
#include "brain/engine/room_bound.h"
#include "brain/engine/turn_order.h"
#include "brain/engine/unit_table.h"
#include "brain/placement/wake_ups.h"
#include "foundation/base/time.h"

namespace loadline::engine {

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
  /// It says of the records of units in line at which stage they are, and in which order they have turns.
  SchedulingQueue(const cluster::Cluster& cluster, UnitTable& units) : cluster_(cluster), units_(units) {}

  /// What time it is: backoffs end. It never goes back.
  void set_now(Instant now) { now_ = now; }

  /// The pod waits, alone or as a member: its unit has a turn with those of its pods that wait already, even if it is
  /// parked. O(log units).
  void push(decision::Unit unit, cluster::PodId pod);
  /// Some of the group's members wait no longer, or its priority is another: it stands where the others say.
  /// O(members). REQUIRES: it is in line, and some member waits.
  void rank(decision::Unit group);
  /// Whether it is among those that have turns, parked or not, or has its turn now.
  [[nodiscard]] bool has(decision::Unit unit) const;
  /// The next unit, or nothing if all that wait are parked.
  std::optional<decision::Unit> pop();
  /// After a failed attempt. `by`: what may help, as those say who refused a pod of the unit, whether in the attempt or
  /// in the dry runs of its preemption. `need`: nothing if that is not known.
  void park(decision::Unit unit, const placement::WakeUps& by, const std::optional<decision::Need>& need = {});
  /// Instead of an attempt, which would have been in vain. The first one counts as if it had been made; else its
  /// failures stay as they are.
  void park_untried(decision::Unit unit, const std::optional<decision::Need>& need);
  /// The unit is held from now on, and its failures are forgotten. O(log units).
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
  [[nodiscard]] bool is_new(decision::Unit unit) const { return units_.at(unit).failures.count == 0; }
  /// Whether it has not failed since wake_all(). Its next failure does not count then: that is asked for its reasons
  /// alone.
  bool spare_if_asked_again(decision::Unit unit);
  /// A pod's own victims are gone, or its nomination was taken away.
  void wake(decision::Unit unit);
  /// A pod of the unit is nominated: it has room of its own, so what the unit needs beside that is not known.
  void forget_need(decision::Unit unit);
  /// The unit had its way: its next failure is its first.
  void forget_failures(decision::Unit unit) { units_.at(unit).failures = {}; }

  /// At most so many units that wait, parked or not, in order of priority and age, and none of those `without`.
  /// O(units that wait · log).
  [[nodiscard]] std::vector<decision::Unit> first_in_line(std::size_t units,
                                                          const std::set<decision::Unit>& without = {}) const;
  /// By priority and age. REQUIRES: both are in line.
  [[nodiscard]] bool goes_before(decision::Unit a, decision::Unit b) const {
    return units_.at(a).rank < units_.at(b).rank;
  }

  [[nodiscard]] bool empty() const { return active_.empty() && backoff_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return active_.size() + backoff_.size(); }
  /// All units that wait, parked ones among them.
  [[nodiscard]] std::size_t size() const { return waiting() + parked_; }

 private:
  using Rank = decision::UnitRecord::Rank;
  using Place = TurnOrder::Place;
  using BackoffKey = std::tuple<Instant, Rank, decision::Unit>;  // the second in which its backoff ends

  static Place place_of(const decision::UnitRecord& record) { return {record.rank, record.unit}; }
  static BackoffKey backoff_key(const decision::UnitRecord& record) {
    return {record.failures.backs_off_until, record.rank, record.unit};
  }
  [[nodiscard]] bool helps(const cluster::PodShape& placed, cluster::PodId waiting,
                           const decision::Parked& parked) const;
  [[nodiscard]] bool helps(const cluster::PodShape& placed, const decision::UnitRecord& waiting) const;
  void count_failure(decision::UnitRecord& record) const;
  void enter(decision::UnitRecord& record, decision::UnitStage stage);
  void leave(decision::UnitRecord& record);
  void unpark(decision::UnitRecord& record);
  void end_backoffs();

  const cluster::Cluster& cluster_;
  UnitTable& units_;
  Instant now_;
  std::uint64_t steps_ = 0;         // grows with what is parked, and with what may help
  std::uint64_t room_changed_ = 0;  // when that was last so
  std::uint64_t room_settled_ = 0;  // the room_changed_ for which wake_with_room() was last called
  TurnOrder active_;
  std::set<BackoffKey> backoff_;
  std::size_t parked_ = 0;                                    // units in the two that follow
  std::map<decision::Need, std::set<Place>> parked_by_need_;  // those whose need is known
  std::set<Place> unknown_needs_;                             // the others
  std::set<decision::Unit> wakeable_by_placement_;            // parked for an unmet pod affinity or for skew
};

}  // namespace loadline::engine
