#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/engine/room_bound.h"
#include "brain/engine/scheduling_queue.h"
#include "brain/engine/turn.h"
#include "brain/engine/unit.h"
#include "brain/gang/group_attempt.h"
#include "brain/gang/partial_starts.h"
#include "brain/gang/switches.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::engine {

/// The scheduler's loop without a clock or a client: whose turn it is, what is decided, and what that does to the
/// model. Both hosts run it, the plan in virtual time and the scheduler of a live cluster, so both decide alike.
///
/// A turn is a unit's: a pod's, or that of all pods of a group that wait, which start together or not at all. Of pods
/// in groups the model knows which group that is, and how many have to start together.
///
/// A host that changes the cluster tells the dispatcher: capacity_freed() when a pod left, a node came or changed, or
/// anything else happened that could help a pod that waits.
class Dispatcher {
 public:
  Dispatcher(cluster::Cluster& cluster, placement::Scheduler scheduler, Retries retries = Retries::kAtOnce)
      : cluster_(cluster),
        scheduler_(std::move(scheduler)),
        retries_(retries),
        queue_(cluster, retries),
        room_(cluster) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  [[nodiscard]] placement::Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] const placement::Scheduler& scheduler() const { return scheduler_; }

  /// What the policy says of groups; from the next turn on.
  void set_switches(const gang::Switches& switches) { switches_ = switches; }

  // ---- pods --------------------------------------------------------------------------------------------------------
  /// The pod waits for a node, alone or with its group. REQUIRES: the scheduler has its profile, and no gate holds it.
  void add(cluster::PodId pod);
  /// The pod waits no longer: another scheduler bound it, or it is about to leave the cluster. REQUIRES: the model
  /// knows it still.
  void withdraw(cluster::PodId pod);
  /// A pod was placed by another scheduler: it may satisfy the affinity of pods that wait, or even out a skew.
  void placed_elsewhere(cluster::PodId pod);
  /// A placement that could not be carried out: the pod is unplaced and waits again, after those that were not tried;
  /// if it is of a group, with those of its members that wait.
  void take_back(cluster::PodId pod);
  /// A victim, or any other pod, is terminating: it still holds its resources.
  void leaving(cluster::PodId pod, bool by_preemption);
  /// The group's object came, changed or went, or it has other members, waiting or not.
  void group_changed(cluster::GroupId group);
  /// What groups give back that were started only in part, and have waited too long for the rest: the host evicts these
  /// pods, see leaving(). To be asked now and then: what is so now and was so kPatience ago is among them.
  std::vector<gang::Release> overdue_starts(Instant now) { return partial_starts_.overdue(cluster_, scheduler_, now); }
  /// What keeps the group of a pod that waits from having a turn: members are missing. nullopt: nothing does.
  [[nodiscard]] std::optional<std::string> held_by_group(cluster::PodId pod) const;

  // ---- the model changed -------------------------------------------------------------------------------------------
  /// Something that a waiting pod could use: every parked unit has another turn.
  void capacity_freed();
  /// Something changed that decisions could see, but that helps no pod that waits.
  void changed() { ++generation_; }
  /// Gives the pod, or its group, another turn if it is parked.
  void retry(cluster::PodId pod) { queue_.wake(unit_of(pod)); }
  /// Gives every parked unit another turn if anything has changed since the last call: a change that woke no unit may
  /// still help one, as does a pod that the affinity of another needs on the node that it would preempt on. To be
  /// called when units have waited for kLongestWait. False: there was nothing to retry.
  bool flush_unschedulable();
  /// Source: podMaxInUnschedulablePodsDuration, pkg/scheduler/backend/queue, v1.36.
  static constexpr Duration kLongestWait = Duration::seconds(300);
  /// Grows with every change that a decision could see.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  /// Frees what is remembered of pods and shapes that are gone: see placement::Scheduler::reclaim().
  void reclaim();

  // ---- turns -------------------------------------------------------------------------------------------------------
  /// Whose turn it is, or nothing if all that wait are parked.
  std::optional<Unit> next();
  [[nodiscard]] bool has_next() const { return !queue_.empty() || is_room_news_; }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  /// The pods that a turn of the unit is about.
  [[nodiscard]] std::span<const cluster::PodId> pods_of(const Unit& unit) const;
  /// Decides about the unit that next() named, and does what follows in the model: places its pods; or parks it, moves
  /// nominations, and takes those of less important pods away.
  Turn take(Unit unit, placement::Detail detail = placement::Detail::kDecision);
  /// The same, in the memory of an earlier turn: turns are large, and a cluster takes a million a second.
  void take(Unit unit, placement::Detail detail, Turn& turn);
  /// Tells of every pod once its turn is taken, before the host acts on it.
  void when_taken(std::function<void(const PodTurn&)> tell) { tell_ = std::move(tell); }

 private:
  /// What decides a failure as long as the cluster stays as it is.
  using FailureKey = std::tuple<cluster::ShapeId, std::int32_t, kube::PreemptionPolicy>;
  struct KnownFailure {
    std::uint64_t generation = 0;
    std::string message;
    std::vector<placement::ReasonCount> reasons;
    std::vector<std::string_view> refused_by;
  };
  /// The pods of a group that wait, in the order they came.
  using Waiting = std::vector<cluster::PodId>;
  /// A search that found no places for a group, and when.
  struct KnownSearch {
    std::uint64_t generation = 0;
    Waiting members;
    gang::SearchReport report;
  };

  [[nodiscard]] Unit unit_of(cluster::PodId pod) const;
  void enqueue(cluster::GroupId group, const Waiting& waiting);
  void wake_parked();
  [[nodiscard]] std::optional<Need> unmet_need(const Unit& unit);
  [[nodiscard]] Need need_of(cluster::PodId pod) const;
  [[nodiscard]] std::optional<Need> need_of(cluster::GroupId group, const Waiting& waiting) const;

  // ---- a pod's turn
  [[nodiscard]] const KnownFailure* known_failure(cluster::PodId pod) const;
  void decide(cluster::PodId pod, placement::Detail detail, PodTurn& turn);
  void place(PodTurn& turn);
  void settle_consumption(PodTurn& turn);
  void fail(PodTurn& turn);
  void make_room(PodTurn& turn, cluster::NodeId node);
  void describe_failure(PodTurn& turn) const;
  [[nodiscard]] std::vector<std::string_view> refusing_plugins(const placement::Decision& decision) const;

  // ---- a group's turn
  void decide_group(Unit unit, placement::Detail detail, Turn& turn);
  gang::GroupAttempt try_group(cluster::GroupId group, const Waiting& members, placement::Detail detail);
  [[nodiscard]] const gang::SearchReport* known_search(cluster::GroupId group, const Waiting& members) const;
  void conclude(gang::MemberAttempt& member, const gang::GroupAttempt& attempt, PodTurn& turn);
  void settle_nomination(PodTurn& turn, const gang::MemberAttempt& member, gang::Verdict verdict);

  cluster::Cluster& cluster_;
  placement::Scheduler scheduler_;
  Retries retries_;
  gang::Switches switches_;
  SchedulingQueue queue_;
  RoomBound room_;
  bool is_room_news_ = false;                   // of Retries::kWithRoom: units are to be woken before the next turn
  std::map<cluster::GroupId, Waiting> groups_;  // those with pods that wait, in the queue or held
  std::uint64_t generation_ = 0;
  std::uint64_t retried_generation_ = 0;  // when parked units last had another turn for nothing in particular
  std::function<void(const PodTurn&)> tell_;
  std::map<FailureKey, KnownFailure> failures_;
  std::map<cluster::GroupId, KnownSearch> searches_;
  gang::PartialStarts partial_starts_;
};

}  // namespace loadline::engine
