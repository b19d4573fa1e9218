#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "brain/queue/kueue/assignment.h"
#include "brain/queue/kueue/pending_queues.h"
#include "brain/queue/kueue/preemption.h"
#include "brain/queue/kueue/room.h"

namespace loadline::queue::kueue {

/// What a round decided about one head, as a value; words are made of it in round_text.h.
struct Decision {
  enum class Code : std::uint8_t {
    kAdmitted,      ///< it has its quota: `assignment`
    kPreempting,    ///< `victims` leave first
    kNoFit,         ///< its flavors' quota is too small, or in use by those it may not preempt
    kNoVictims,     ///< it would fit if others left, of whom none may be preempted for it
    kRepetition,    ///< the same, because some of them are spared: see `spared`
    kOverlapping,   ///< its victims leave for another one
    kTaken,         ///< what it had been assigned was given to another one
    kNoRoom,        ///< Admission::kFeasible: there are no nodes for its pods, see `why_no_room`
    kWaitsForPods,  ///< blockAdmission: the pods of what was admitted before it in the round have to be ready first
    kFailedChecks,
    kInactiveQueue,  ///< the cohorts of its queue are a circle
    kNamespaceMismatch,
    kNamespaceMissing,
    kPodsRefused,  ///< no API server would take its pods: Workload::pod_problem
  };
  Code code = Code::kNoFit;
  WorkloadId workload;
  Assignment assignment = {};  ///< of those that were nominated
  std::vector<Victim> victims = {};
  std::vector<Victim> evicted = {};  ///< of them those that were not leaving before
  std::string why_no_room = {};
  /// A workload that is spared by what was preempted before, and would be a victim otherwise.
  struct Spared {
    WorkloadId workload;
    bool had_it_preempted = false;  ///< directly or over others; else it gave way for this one before
  };
  std::optional<Spared> spared = {};
  bool is_ready = false;  ///< it is in its queue's order again; else it is inadmissible, or has quota
};

/// What one round decided, in the order in which it did.
struct Round {
  std::int64_t number = 0;
  std::vector<Decision> decisions;
  /// Something was admitted, or asked to leave.
  [[nodiscard]] bool has_changed_something() const;
};

/// Kueue's scheduling cycle.
///
/// 1. *Heads*: one of each active queue.
/// 2. *Nominate*: each gets flavors by the quota that is there now, as if it were alone; if that takes preemption,
///    victims. If neither, and it may be smaller, the largest counts between all and minCount of each pod set that fit
///    or preempt are looked for, by halving.
/// 3. *Order*: classical: those that borrow from nearer first, then by priority, by time, and by their queues' names,
///    where upstream's order is a map's. Fair sharing: a tournament (tournament.h).
/// 4. *Process* one after another, each on the usage that those before it left: what nobody may be preempted for keeps
///    what its queue has of its own, unless that can always reclaim it; a victim that already leaves for another, or
///    quota that is gone, ends the turn; else victims are asked to leave, or the workload gets its quota.
///    Victims of the round count as gone, so a head may be admitted into what they still hold: until they have stopped,
///    more is used than there is. That is upstream's way. With Settings::blocks_admission one is admitted: the others
///    that might be are nominated anew in the next round, which the host lets begin when all pods are ready.
///    With Admission::kFeasible it gets it only if there are nodes for its pods, which are held from then on; nobody
///    leaves for one that would find none afterwards. Where its flavors have none, the next ones are tried at once.
/// 5. *Requeue* all the others.
///
/// With RepeatedPreemption::kRefused whoever others left for comes before all others of its tree, and preemptions end:
/// see PreemptionHistory.
///
/// Usage that is only meant for the round, of preemptors and of those who wait, is undone with it.
/// Topology, second passes, concurrent admission and workload slices are not part of it.
/// Source: Kueue v0.19.2, pkg/scheduler/scheduler.go.
class RoundMaker {
 public:
  RoundMaker(Quotas& quotas, ClusterQueues& queues, Workloads& workloads, PendingQueues& pending,
             const Settings& settings, const NamespaceRule& namespaces, PreemptionHistory& history)
      : quotas_(quotas),
        queues_(queues),
        workloads_(workloads),
        pending_(pending),
        settings_(settings),
        namespaces_(namespaces),
        history_(history),
        preemption_(quotas, queues, workloads, settings, history),
        assigner_(quotas, queues, workloads, settings, preemption_) {}

  /// Whether there are nodes for the pods of what is to be admitted so, once these have left; and if `holds`, they are
  /// held. See Room.
  using AskRoom = std::function<RoomAnswer(const Decision&, std::span<const Victim> leaving, bool holds)>;
  /// Empty: nobody is asked (Admission::kQuota).
  void ask_room(AskRoom ask) { ask_room_ = std::move(ask); }
  /// Notes about each flavor what was found out, for the event of a reservation.
  void tell_attempts(bool tells) { assigner_.tell_attempts(tells); }
  Round decide(Instant now);

 private:
  struct Entry {
    WorkloadId workload;
    Decision decision;
    RequeueReason reason = RequeueReason::kGeneric;
    bool is_nominated = false;
    bool keeps_progress = true;
  };
  class Processing;

  [[nodiscard]] std::vector<Entry> nominate(const std::vector<WorkloadId>& heads);
  [[nodiscard]] bool is_refused(Entry& entry) const;
  void assign(Entry& entry);
  [[nodiscard]] bool try_assign(Entry& entry, std::span<const std::int32_t> counts);
  void assign_fewer(Entry& entry);
  [[nodiscard]] bool has_room(Decision& decision, bool holds) const;
  void note_spared(Entry& entry);
  void forget_old_progress(WorkloadId workload);
  [[nodiscard]] bool comes_first(const Workload& workload) const;
  [[nodiscard]] std::vector<std::size_t> classical_order(const std::vector<Entry>& entries) const;
  void note_room(Workload& workload, Decision::Code code) const;
  void settle(Entry& entry, Instant now);

  Quotas& quotas_;
  ClusterQueues& queues_;
  Workloads& workloads_;
  PendingQueues& pending_;
  const Settings& settings_;
  const NamespaceRule& namespaces_;
  PreemptionHistory& history_;
  Preemption preemption_;
  FlavorAssigner assigner_;
  AskRoom ask_room_;
  std::int64_t number_ = 0;
};

}  // namespace loadline::queue::kueue
