#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/passing.h"
#include "brain/decision/unit.h"
#include "brain/engine/empty_room.h"
#include "brain/engine/scheduling_queue.h"
#include "brain/engine/try_unit.h"
#include "brain/engine/unit_table.h"
#include "brain/gang/planned_start.h"
#include "brain/gang/switches.h"
#include "brain/placement/scheduler.h"

namespace loadline::engine {

/// What a unit that fits was told when it asked to start while others wait.
struct Passage {
  std::vector<gang::Place> places;  ///< where it starts; empty: it does not start now
  /// Of a unit that does not: whose planned start it would move, and when that is.
  decision::Unit held_by;
  Instant until;
  std::vector<decision::Passing>
      passed;  ///< of one that does: the planned starts before it in line, and what lets it pass them

  [[nodiscard]] bool is_free() const { return !places.empty(); }
};

/// Knows which units that wait have a planned start, and lets others start only if that moves none of them: backfill
/// with reservations.
///
/// While a group waits, units have planned starts in their order in line: Backfill::kEasy plans up to the first group
/// that can have one, kConservative up to as many units as the policy's depth. A start is planned around those that are
/// planned already. A unit has none if what it waits for has no known end.
///
/// A planned start is a promise: it moves to an earlier time when something ends early, and else stays, even if a new
/// plan would be later. It is broken only if its places are lost: pods outlive their expected ends, a node goes, a unit
/// of higher priority starts or is planned. Then it is planned anew.
///
/// Where pods do not end, it is planned anew again and again, and others wait beside what may be free for ever. So a
/// promise that has slipped by more than it was long, and than ExpectedEnds::kPatience, is the last that believes in
/// these pods' ends: they are taken to stay from then on. A restarted scheduler believes in them once more.
///
/// A unit that fits may start if, for each planned start of a unit of its priority or higher,
///  1. it ends by then, as far as its expected run says; or
///  2. the places of the planned start hold beside it; its own places are moved to nodes where that is so, if need be;
///     or else
///  3. the planned unit finds other places at the same time beside it, which it has from then on.
/// A unit with a planned start may also take the places of its plan once its time has come.
///
/// Single pods have planned starts only for the sake of groups, and none when no group waits any more: theirs are no
/// promises. Without a group that waits, and with kSkipAhead, it does nothing.
class StartPromises {
 public:
  /// So many units in line are looked at for each that may have a planned start: some have no possible one. Those do
  /// not count that these nodes could not hold if they were empty: see could_ever_start().
  static constexpr std::size_t kLookedAtPerStart = 4;

  /// `try_unit`: whether a unit starts with these of its pods; see gang::TryPlace.
  StartPromises(cluster::Cluster& cluster, placement::Scheduler& scheduler, const UnitTable& units,
                SchedulingQueue& queue, TryUnit try_unit)
      : cluster_(cluster),
        scheduler_(scheduler),
        units_(units),
        queue_(queue),
        try_unit_(std::move(try_unit)),
        empty_room_(cluster, scheduler) {}

  /// What holds of the policy's `backfill` and `backfill_depth`. Another value plans everything anew.
  void set_switches(const gang::Switches& switches);
  void set_now(Instant now) { now_ = now; }
  [[nodiscard]] bool is_on() const { return mode_ != gang::Backfill::kSkipAhead; }
  [[nodiscard]] bool empty() const { return starts_.empty(); }

  /// Plans what there is to plan, if anything has changed since: `generation` grows with every change. `present`: a
  /// unit that is in no queue, since it has its turn.
  void refresh(std::uint64_t generation, std::optional<decision::Unit> present);
  /// The unit's planned start, as of the last refresh(); null: it has none.
  [[nodiscard]] const gang::PlannedStart* of(decision::Unit unit) const;
  /// The first of them that is later than now; nullopt: there is none. O(planned starts).
  [[nodiscard]] std::optional<Instant> next_at() const;
  [[nodiscard]] bool is_any_due() const;
  /// All of them.
  [[nodiscard]] std::vector<std::pair<decision::Unit, const gang::PlannedStart*>> all() const;
  /// Who has to leave before it, as of the last refresh().
  [[nodiscard]] std::vector<cluster::PodId> awaited(const gang::PlannedStart& start) const;

  /// Whether the unit may start, and where, that would have these places. The cluster is unchanged on return.
  /// REQUIRES: refresh() was called since the last change, or there are no planned starts; its pods are on no nodes.
  Passage pass(decision::Unit unit, const std::vector<gang::Place>& places);
  /// The places of its planned start, if that is due and they are free. REQUIRES: as pass().
  std::vector<gang::Place> due_places(decision::Unit unit);
  /// Whether a planned start that the unit may not move has places on the node: then the unit evicts nobody there.
  [[nodiscard]] bool needs(decision::Unit unit, cluster::NodeId node) const;
  /// The unit has had its turn in vain: if its planned start was due by now, it is broken.
  void settle_due(decision::Unit unit);
  /// It is certain that pass() refuses all places for the unit. Amortised O(1) for units alike. REQUIRES: as pass().
  const Passage* certain_refusal(decision::Unit unit);

  /// False: it has no place on the nodes that there are, whoever leaves them.
  bool could_ever_start(decision::Unit unit);

  /// It waits no longer, or other pods than before.
  void forget(decision::Unit unit);
  /// These pods of the unit are on nodes now, as pass() or due_places() allowed. `generation` is what that made of the
  /// last refresh()'s, if nothing else has happened: then there is nothing to refresh.
  void started(decision::Unit unit, const std::vector<cluster::PodId>& pods, std::uint64_t generation);
  /// A group has failed or arrived, so there may be starts to plan in the next refresh().
  void failed(std::uint64_t generation);
  void arrived() { is_line_covered_ = false; }
  /// Ids of pods are about to be given to others: what is gone cannot be told any more.
  void reclaim();

 private:
  /// What a unit was promised first of what it waits for, and when.
  struct Promise {
    Instant made;
    Instant at;
  };
  struct Start {
    std::int32_t priority = 0;
    gang::PlannedStart plan;
    /// By resource: what is free at its time on all nodes together, beside it and the others. As of the last refresh.
    std::vector<std::int64_t> spare;
  };
  /// Units that pass, or do not, by how long they run alone.
  struct Likeness {
    cluster::ShapeId shape;
    std::size_t pods = 0;
    std::int32_t priority = 0;
    friend auto operator<=>(const Likeness&, const Likeness&) = default;
  };
  struct Refusal {
    Passage passage;
    std::optional<Duration> run;  ///< the shortest that was refused; nullopt: unknown
  };

  [[nodiscard]] gang::Waiter waiter(const decision::Unit& unit) const;
  [[nodiscard]] gang::StartPlanner::Others others_than(decision::Unit unit,
                                                       std::optional<decision::Unit> present) const;
  [[nodiscard]] std::optional<Likeness> likeness(decision::Unit unit) const;
  [[nodiscard]] bool is_news() const;
  void review(bool is_news);
  void plan_anew();
  bool plan_line(std::optional<decision::Unit> present);
  void judge_anew_if_nodes_changed();
  bool plan_units(const std::vector<decision::Unit>& line);
  [[nodiscard]] std::vector<decision::Unit> line(std::optional<decision::Unit> present) const;
  std::optional<gang::PlannedStart> plan(decision::Unit unit);
  [[nodiscard]] bool has_slipped_too_far(decision::Unit unit, Instant at) const;
  bool doubt_guesses(const gang::PlannedStart& plan);
  void note_promise(decision::Unit unit, Instant at);
  void drop(decision::Unit unit);
  void wake_held();

  [[nodiscard]] std::vector<decision::Unit> constrained_by(decision::Unit unit) const;
  std::optional<decision::Unit> moved_by(decision::Unit unit, const std::vector<decision::Unit>& constraints,
                                         const std::vector<gang::Place>& places);
  std::vector<gang::Place> places_beside(decision::Unit unit, const std::vector<decision::Unit>& constraints,
                                         const std::vector<gang::Place>& places);
  cluster::NodeId node_beside(decision::Unit unit, const std::vector<decision::Unit>& constraints, cluster::PodId pod);
  std::optional<std::vector<decision::Unit>> make_way(decision::Unit unit,
                                                      const std::vector<decision::Unit>& constraints,
                                                      const std::vector<gang::Place>& places);
  [[nodiscard]] std::vector<decision::Passing> passed(decision::Unit unit,
                                                      const std::vector<decision::Unit>& constraints,
                                                      decision::PassingRule rule,
                                                      const std::vector<decision::Unit>& planned_anew = {}) const;
  [[nodiscard]] bool has_spare(const Start& start, decision::Unit unit) const;
  void take_from(std::vector<std::int64_t>& spare, cluster::PodId pod) const;
  void count_spare(decision::Unit unit, Start& start);
  [[nodiscard]] bool are_rules_local(decision::Unit planned, std::span<const gang::Place> places) const;
  void put(const std::vector<gang::Place>& places);

  cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  const UnitTable& units_;
  SchedulingQueue& queue_;
  TryUnit try_unit_;
  gang::Backfill mode_ = gang::Backfill::kEasy;
  std::size_t depth_ = gang::Switches{}.backfill_depth;
  Instant now_;
  std::uint64_t generation_ = 0;
  bool is_stale_ = false;         // whatever the generation
  bool is_line_covered_ = false;  // it was planned as far as it is to be
  bool is_plan_gone_ = false;     // others may start earlier
  std::uint64_t facts_seen_ = 0;  // Cluster::facts_version() then
  std::size_t nodes_seen_ = 0;
  Instant planned_at_;
  std::map<decision::Unit, Start> starts_;
  std::map<decision::Unit, Promise> promised_;
  std::set<std::uint64_t> doubted_;  // uids of pods whose expected ends are not believed any more
  std::optional<gang::StartPlanner> planner_;
  EmptyRoom empty_room_;
  std::set<decision::Unit> never_;     // units that these nodes could not hold if they were empty
  std::set<decision::Unit> possible_;  // others that were asked about, and that they could
  std::set<decision::Unit> held_;      // that were refused, and wait for the plans to change
  std::map<Likeness, Refusal> refused_;
};

}  // namespace loadline::engine
