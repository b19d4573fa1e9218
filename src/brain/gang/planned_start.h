#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/expected_ends.h"
#include "brain/gang/place.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::gang {

/// When and where pods that wait will start together: a reservation of places for a time to come. Nothing is held now.
struct PlannedStart {
  Instant at;
  std::optional<Duration> run;  ///< of the one that is expected to run longest; nullopt: they are taken to stay
  std::vector<Place> places;

  /// Whether they are on their places at that time.
  [[nodiscard]] bool is_on(Instant time) const { return at <= time && (!run || time < at + *run); }
  /// Whether they are there at some time from `from` on, for `span`; nullopt: for ever.
  [[nodiscard]] bool is_on_within(Instant from, std::optional<Duration> span) const {
    return (!run || from < at + *run) && (!span || at < from + *span);
  }
};

/// Pods that start together.
struct Waiter {
  std::span<const cluster::PodId> pods;  ///< those of them that wait
  std::size_t least = 1;                 ///< so many of these have to find a place
  TryPlace try_place;
};

/// Plans starts in the cluster as it will be: without the pods that end by then, and with those whose starts are
/// planned already. It knows what the cluster was when it was made.
///
/// Assumes that nothing else comes or goes, and that durations are as expected. A plan's places are proven by the
/// filters in the cluster of its time. Without other planned starts room only grows with time, so that the earliest
/// start is found by bisection; required affinity to pods that end, or starts planned in between, may make that miss an
/// earlier one. What is returned is always possible.
/// Source: backfilling with reservations, Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995); starts are tried
/// where something ends, as Slurm's will-run test does (select/cons_tres).
class StartPlanner {
 public:
  using Others = std::vector<const PlannedStart*>;

  /// O(pods on nodes · log).
  StartPlanner(cluster::Cluster& cluster, placement::Scheduler& scheduler, Instant now)
      : cluster_(cluster), scheduler_(scheduler), now_(now), ends_(cluster, now) {}

  /// The earliest time, after now and before `before`, at which the waiter has places and keeps them beside the others.
  /// Nothing: it has none when all is over that is known to end. Counts of resources rule times out first, O(ends +
  /// nodes); a time that is left costs an attempt, and O(log ends) of them do.
  std::optional<PlannedStart> earliest(const Waiter& waiter, const Others& others, std::optional<Instant> before = {});
  /// Whether resources suffice at that time, by count: if not, at() returns nothing. O(ends + nodes).
  [[nodiscard]] bool could_be_at(const Waiter& waiter, Instant time, const Others& others) const;
  /// Places at that very time. Costs an attempt.
  std::optional<PlannedStart> at(const Waiter& waiter, Instant time, const Others& others);

  /// Whether the resources for the start's places are there at its time, beside the others, on those of its nodes that
  /// are among `nodes`; empty: on all of them. O(places + pods on the nodes).
  [[nodiscard]] bool has_room(const PlannedStart& start, const Others& others,
                              std::span<const cluster::NodeId> nodes = {}) const;
  /// The same, asked of the filters: has_room(), and rules among pods, ports and volumes. What is in the cluster now
  /// and has no known end stays. O(places × filters).
  [[nodiscard]] bool holds(const PlannedStart& start, const Others& others,
                           std::span<const cluster::NodeId> nodes = {});
  /// Whether the pod, which starts before it, leaves the start room on a node of its places at its time: by what the
  /// filters of the start's pods count.
  [[nodiscard]] bool has_room_beside(const PlannedStart& start, const Others& others, cluster::NodeId node,
                                     cluster::PodId pod) const;

  /// The pod has started since the planner was made. REQUIRES: it is still the same time.
  void note_start(cluster::PodId pod) { ends_.add(cluster_, pod, now_); }
  /// The pod is taken to stay, whatever is expected of it.
  void take_to_stay(cluster::PodId pod) { ends_.forget(pod); }
  /// Who has to leave the nodes of its places first: the pods there that end after now and by its time, in that order.
  [[nodiscard]] std::vector<cluster::PodId> awaited(const PlannedStart& start) const;
  [[nodiscard]] const ExpectedEnds& ends() const { return ends_; }

 private:
  void let_end(Instant by);
  void put_others(const Others& others, Instant from, std::optional<Duration> span);
  void put_other(const Place& place);
  [[nodiscard]] std::vector<Instant> times(const Waiter& waiter, const Others& others,
                                           std::optional<Instant> before) const;

  cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  Instant now_;
  ExpectedEnds ends_;
};

/// Of the pods that has the longest expected run; nullopt: one has none.
std::optional<Duration> expected_run(const cluster::Cluster& cluster, std::span<const cluster::PodId> pods);

}  // namespace loadline::gang
