#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/claims.h"
#include "brain/decision/doors.h"
#include "brain/decision/eviction.h"
#include "brain/decision/line.h"
#include "brain/decision/queued_workload.h"
#include "brain/decision/turn.h"
#include "brain/decision/unit.h"
#include "brain/engine/evictions.h"
#include "brain/engine/overdue_starts.h"
#include "brain/engine/reservation_keeper.h"
#include "brain/engine/room_bound.h"
#include "brain/engine/scheduling_queue.h"
#include "brain/engine/start_promises.h"
#include "brain/engine/unit_table.h"
#include "brain/gang/group_attempt.h"
#include "brain/gang/group_preemption.h"
#include "brain/gang/switches.h"
#include "brain/gang/topology/domain_trees.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::engine {

/// Whether the host tells why units wait.
enum class Refusals : std::uint8_t {
  kTold,    ///< so each unit has a turn when it comes, room or not, and another one when all are asked anew
  kUntold,  ///< what there is certainly no room for has no turn at all
};

/// The scheduler's loop without a clock or a client: whose turn it is, what is decided, and what that does to the
/// model. Both hosts run it, the plan in virtual time and the scheduler of a live cluster, so both decide alike.
///
/// A turn is a unit's: a pod's, or that of all pods of a group that wait, which start together or not at all. Of pods
/// in groups the model knows which group that is, and how many have to start together.
///
/// A unit that failed has no further turn while there is certainly no room for it, even if all pods of lower priority
/// were evicted, or while it is certain to be held back for a planned start. The reasons that the host was told last
/// may then be out of date: flush_unschedulable() asks anew.
///
/// A host that changes the cluster tells the dispatcher: capacity_freed() when a pod left, a node came or changed, or
/// anything else happened that could help a pod that waits.
class Dispatcher : public decision::Doors {
 public:
  Dispatcher(cluster::Cluster& cluster, placement::Scheduler scheduler, Refusals refusals = Refusals::kTold,
             decision::CarriedOut carried_out = decision::CarriedOut::kAtOnce)
      : cluster_(cluster),
        scheduler_(std::move(scheduler)),
        refusals_(refusals),
        carried_out_(carried_out),
        units_(cluster),
        queue_(cluster, units_),
        room_(cluster, scheduler_),
        keeper_(cluster, placeholders()),
        promises_(cluster, scheduler_, units_, queue_, try_unit()) {}

  [[nodiscard]] placement::Scheduler& scheduler() { return scheduler_; }

  /// What the policy says of groups; from the next turn on.
  void set_switches(const gang::Switches& switches) {
    switches_ = switches;
    promises_.set_switches(switches);
  }
  /// What time it is, to be told before turns; it never goes back. Planned starts count from it, backoffs end, and what
  /// running pods have worked for by then counts where victims are chosen.
  void set_now(Instant now) {
    now_ = now;
    if (!polls_from_) polls_from_ = now;
    queue_.set_now(now);
    promises_.set_now(now);
  }
  /// When there is something to do though nothing happens, see elapse(): a planned start comes, parked units are asked
  /// anew, a group has been there in part for too long, a line has a round. nullopt: never. It may have come
  /// already. To be asked once set_now() has said what time it is. O(planned starts).
  [[nodiscard]] std::optional<Instant> next_deadline();
  /// set_now(), and what is due by then: overdue_starts() and flush_unschedulable(), every kLongestWait from the first
  /// set_now() on, if anything has happened meanwhile.
  Overdue elapse(Instant now);
  /// The planned starts of units that wait, as of the last turn, or of next() when that named nobody; those of single
  /// pods, which are before a group in line, among them.
  [[nodiscard]] const StartPromises& promises() const { return promises_; }

  /// The room that reservations hold: the host says what they ask for.
  [[nodiscard]] ReservationKeeper& keeper() { return keeper_; }

  /// The evictions that are under way. What a turn, or overdue_starts(), decides is asked for when that returns; what
  /// the host evicts of its own accord it asks for itself.
  [[nodiscard]] Evictions& evictions() { return evictions_; }

  /// The workloads that wait in lines. Of one that is admitted the pods have turns from then on.
  [[nodiscard]] decision::QueuedWorkloads& workloads() { return workloads_; }
  /// The line has a round in next() whenever it is due, those attached first before others. REQUIRES: it outlives this.
  void attach(decision::Line& line) { lines_.push_back(&line); }

  // ---- pods --------------------------------------------------------------------------------------------------------
  /// The pod waits for a node, alone or with its group, and until the queued workloads that it stands under are
  /// admitted. REQUIRES: the scheduler has its profile, no gate holds it, it claims nothing, see claims_of(), and the
  /// workloads are open.
  void add(cluster::PodId pod, std::span<const decision::WorkloadId> under = {});
  /// The pod waits no longer: another scheduler bound it, or it is about to leave the cluster. REQUIRES: the model
  /// knows it still.
  void withdraw(cluster::PodId pod);
  /// The host, or a client of the brain, has made room for the pod: nominates it to the node. REQUIRES: it waits.
  void nominate(cluster::PodId pod, cluster::NodeId node);
  /// A pod was placed by another scheduler: it may satisfy the affinity of pods that wait, or even out a skew.
  void placed_elsewhere(cluster::PodId pod);
  /// What a turn placed, and its host has not carried out yet; null: nothing. Always null where all is carried out at
  /// once.
  [[nodiscard]] const decision::Claims* claims_of(cluster::PodId pod) const;
  /// It was carried out, or others did so: what the pod holds is a fact, and not given back any more.
  void confirm(cluster::PodId pod);
  void release(cluster::PodId pod) override;
  /// The pod is terminating, and still holds its resources: the host lets it go as it was asked to, see evictions(), or
  /// has seen it, for that cause as far as its object says.
  void leaving(cluster::PodId pod, std::optional<decision::EvictionCause> seen = std::nullopt);
  /// The group's object came, changed or went, or it has other members, waiting or not.
  void group_changed(cluster::GroupId group);
  /// What groups give back that have waited too long for the rest of their members: the host evicts these pods, see
  /// leaving(). To be asked now and then: what is so now and was so kPatience ago is among them. Groups that never were
  /// whole; and, unless the policy keeps them, broken ones whose room is of use: see useful_releases(). Of two
  /// workloads that are stuck between two of their parts, in room that each other needs, one gives way.
  Overdue overdue_starts(Instant now);
  /// What keeps the group of a pod that waits from having a turn: members are missing. nullopt: nothing does.
  [[nodiscard]] std::optional<decision::Why> held_by_group(cluster::PodId pod) const;

  // ---- the model changed -------------------------------------------------------------------------------------------
  /// Something that a waiting pod could use: every parked unit has another turn for which there may be room.
  void capacity_freed();
  /// How often it was.
  [[nodiscard]] std::uint64_t times_freed() const { return times_freed_; }
  /// Something changed that decisions could see, but that helps no pod that waits.
  void changed() {
    ++generation_;
    has_news_ = true;
  }
  /// Gives the pod, or its group, another turn if it is parked.
  void retry(cluster::PodId pod) { queue_.wake(unit_of(pod)); }
  /// Gives every parked unit another turn if anything has changed since the last call: a change that woke no unit may
  /// still help one, as does a pod that the affinity of another needs on the node that it would preempt on. To be
  /// called when units have waited for kLongestWait. False: there was nothing to retry.
  bool flush_unschedulable();
  /// Source: podMaxInUnschedulablePodsDuration, pkg/scheduler/backend/queue, v1.36.
  static constexpr Duration kLongestWait = Duration::seconds(300);

  /// Frees what is remembered of pods and shapes that are gone: see placement::Scheduler::reclaim().
  void reclaim();

  // ---- turns -------------------------------------------------------------------------------------------------------
  /// Whose turn it is, or nothing if all that wait are parked.
  std::optional<decision::Unit> next();
  [[nodiscard]] bool has_next() const { return !queue_.empty() || queue_.is_room_changed() || is_line_due(); }
  /// How many of them are not parked.
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  /// All that wait, and the pods that a turn of each is about.
  [[nodiscard]] const UnitTable& units() const { return units_; }
  /// Decides about the unit that next() named, and does what follows in the model: places its pods; or parks it, moves
  /// nominations, and takes those of less important pods away.
  decision::Turn take(decision::Unit unit, placement::Detail detail = placement::Detail::kDecision);
  /// The same, in the memory of an earlier turn: turns are large, and a cluster takes a million a second.
  void take(decision::Unit unit, placement::Detail detail, decision::Turn& turn) override;
  decision::Examined examine(cluster::PodId pod, std::span<const cluster::PodId> members) override;
  decision::Fit fit(decision::Unit unit, std::span<const cluster::PodId> pods, const decision::Fitting& how) override;

 private:
  /// What decides a failure as long as the cluster stays as it is.
  using FailureKey = std::tuple<cluster::ShapeId, std::int32_t, kube::PreemptionPolicy>;
  struct KnownFailure {
    std::uint64_t generation = 0;
    decision::Why why;
    placement::WakeUps wake_ups;
  };
  using Waiting = std::vector<cluster::PodId>;

  [[nodiscard]] TryUnit try_unit();
  [[nodiscard]] ReservationKeeper::Line placeholders();
  bool hold(cluster::PodId placeholder, cluster::NodeId node);
  bool try_place(const decision::Unit& unit, const std::vector<cluster::PodId>& pods);
  decision::Fit fit_pod(cluster::PodId pod, const decision::Fitting& how);
  [[nodiscard]] decision::Unit unit_of(cluster::PodId pod) const;
  [[nodiscard]] bool is_gated(cluster::GroupId group, cluster::PodId member) const;
  [[nodiscard]] bool is_held_by_workload(const decision::UnitRecord& record) const;
  [[nodiscard]] bool may_have_turns(const decision::UnitRecord& record) const;
  void admission_changed(const decision::QueuedWorkload& workload);
  void decide_due_rounds();
  [[nodiscard]] bool is_line_due() const;
  void enqueue(const decision::UnitRecord& record);
  void close(decision::Unit unit);
  void wake_due();
  std::optional<decision::Unit> next_with_prospect();
  [[nodiscard]] std::optional<decision::Need> need_of(const decision::UnitRecord& record) const;
  [[nodiscard]] decision::Need need_of(cluster::PodId pod) const;
  [[nodiscard]] std::optional<decision::Need> need_of_group(const decision::UnitRecord& group) const;

  // ---- planned starts
  /// A group waits, or did: others may have to wait for its start.
  [[nodiscard]] bool plans_starts() const {
    return promises_.is_on() && (!units_.groups().empty() || !promises_.empty());
  }
  [[nodiscard]] bool is_poll_of_use() const;
  bool is_held(const decision::Unit& unit);

  // ---- a pod's turn
  [[nodiscard]] const KnownFailure* known_failure(cluster::PodId pod) const;
  void decide(cluster::PodId pod, placement::Detail detail, decision::Turn& whole);
  bool may_start(decision::PodTurn& turn, std::vector<decision::Passing>& passed);
  decision::Claims* claim(cluster::PodId pod);
  void place(decision::PodTurn& turn);
  std::vector<cluster::ChosenVolume> put(const gang::Place& place, cluster::PodId consumes);
  void settle_consumption(decision::PodTurn& turn);
  void conclude_consumption(decision::Turn& turn);
  void fail(decision::PodTurn& turn);
  void make_room(decision::PodTurn& turn, cluster::NodeId node);
  [[nodiscard]] placement::WakeUps wake_ups_of(const placement::Decision& decision) const;
  void ask_for_evictions(decision::Turn& turn);

  std::optional<gang::NoVictims> spare_groups(cluster::PodId pod, placement::Decision& decision);

  // ---- a group's turn
  void decide_group(decision::UnitRecord& group, placement::Detail detail, decision::Turn& turn);
  void tell_promises(decision::Unit unit, decision::Turn& turn);
  gang::GroupAttempt try_group(const decision::UnitRecord& unit, placement::Detail detail, decision::Turn& turn);
  gang::GroupAttempt place_group(cluster::GroupId group, const Waiting& members, gang::Effort effort);
  [[nodiscard]] bool preempts_as_one(cluster::GroupId group, const Waiting& members) const;
  void preempt_as_one(cluster::GroupId group, const Waiting& members, gang::GroupAttempt& attempt);
  bool preempt_for_part(cluster::GroupId group, const Waiting& members, gang::GroupAttempt& attempt);
  void make_room_by_own_priority(const gang::Preemptor& preemptor, gang::GroupAttempt& attempt);
  void make_room_for(gang::Preemptor preemptor, gang::GroupAttempt& attempt);
  void preempt_one_by_one(gang::GroupAttempt& attempt, placement::Detail detail);
  gang::MemberAttempt decide_nearby(gang::MemberAttempt told, cluster::PodId pod);
  bool may_start(const decision::Unit& unit, gang::GroupAttempt& attempt, decision::Turn& turn);
  void put_on(gang::GroupAttempt& attempt, const std::vector<gang::Place>& places);
  [[nodiscard]] const gang::SearchReport* known_search(const decision::UnitRecord& group) const;
  void conclude(gang::MemberAttempt& member, const gang::GroupAttempt& attempt, const decision::Why& of_group,
                decision::PodTurn& turn);
  void settle_nomination(decision::PodTurn& turn, const gang::MemberAttempt& member, gang::Verdict verdict);

  cluster::Cluster& cluster_;
  placement::Scheduler scheduler_;
  Refusals refusals_;
  decision::CarriedOut carried_out_;
  std::uint64_t attempts_ = 0;
  std::map<cluster::PodId, decision::Claims> claims_;
  gang::Switches switches_;
  Instant now_;
  UnitTable units_;
  decision::QueuedWorkloads workloads_{[this](const decision::QueuedWorkload& each) { admission_changed(each); }};
  std::vector<decision::Line*> lines_;
  SchedulingQueue queue_;
  RoomBound room_;
  ReservationKeeper keeper_;
  Evictions evictions_{cluster_};
  std::uint64_t times_freed_ = 0;
  std::uint64_t generation_ = 0;          // grows with every change that a decision could see
  std::optional<Instant> polls_from_;     // what is due every kLongestWait is due a number of these after it
  std::optional<Instant> next_poll_;      // nullopt: it would be of no use
  std::optional<Instant> last_poll_;      // when it was due
  bool has_news_ = false;                 // others than turns have changed something since the last one
  std::uint64_t retried_generation_ = 0;  // when parked units last had another turn for nothing in particular
  std::map<FailureKey, KnownFailure> failures_;
  OverdueStarts overdue_{cluster_, scheduler_, units_, queue_, {try_unit(), [this](const decision::Unit& unit) {
                                                                  return promises_.could_ever_start(unit);
                                                                }}};
  gang::DomainTrees trees_{cluster_};
  StartPromises promises_;
};

}  // namespace loadline::engine
