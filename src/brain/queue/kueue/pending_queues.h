#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "brain/queue/kueue/cluster_queues.h"
#include "brain/queue/kueue/settings.h"
#include "brain/queue/kueue/workloads.h"

namespace loadline::queue::kueue {

/// Why a head that was not admitted goes back to its queue.
enum class RequeueReason : std::uint8_t {
  kGeneric,
  kFailedAfterNomination,
  kNamespaceMismatch,
  kPendingPreemption,
  kPreemptionFailed,
  kNoFit,
  kPreemptionNoCandidates,
};

/// Whether workloads of a namespace are admitted from a queue.
class NamespaceRule {
 public:
  NamespaceRule() = default;
  NamespaceRule(const NamespaceRule&) = delete;
  NamespaceRule& operator=(const NamespaceRule&) = delete;
  virtual ~NamespaceRule() = default;
  [[nodiscard]] virtual bool exists(Symbol name_space) const = 0;
  [[nodiscard]] virtual bool admits(QueueId queue, Symbol name_space) const = 0;
};

/// The workloads of each ClusterQueue that wait: those that are *ready* for a round, in order, and those that are
/// *inadmissible*, which could not be admitted and come back when something may have changed.
///
/// Order of those that are ready: the *sticky* one first (of a BestEffortFIFO queue the one that waits for its victims
/// to leave), then by priority, by the time that its place counts from, and by uid.
///
/// A head that was not admitted is ready again at once: in a StrictFIFO queue, unless its namespace is not the queue's;
/// in a BestEffortFIFO one, if it failed after nomination, or waits for victims; in both if what was inadmissible came
/// back since it was popped, or if it has flavors that were not tried. Else it is inadmissible. If then nothing fits,
/// or nobody may be preempted, all workloads of its class (equal pod sets and priority) in a BestEffortFIFO queue are
/// so, too, and those of the class that come later, until what is inadmissible comes back.
///
/// What may help a queue is told by notify(): a batch later (Settings::requeue_batch) all queues of its tree get back
/// what is inadmissible, except for those that back off and those of other namespaces.
///
/// A class moves as a whole, whatever its size. Costs: push, pop and requeue O(log workloads), moving back O(queues of
/// the tree + classes) where all namespaces are admitted; a queue without workloads costs a round nothing.
/// Where ours differs: upstream's heap is not put in order when a workload ceases to be sticky while it is in it; here
/// the order always holds.
/// Source: Kueue v0.19.2, pkg/cache/queue/{cluster_queue,inadmissible_workloads}.go.
class PendingQueues {
 public:
  PendingQueues(const ClusterQueues& queues, const cluster::QuotaTree& tree, Workloads& workloads,
                const Settings& settings, const NamespaceRule& namespaces)
      : queues_(queues), tree_(tree), workloads_(workloads), settings_(settings), namespaces_(namespaces) {}

  enum class Place : std::uint8_t { kNone, kReady, kInadmissible, kInFlight };
  [[nodiscard]] Place place(WorkloadId workload) const;

  // ---- as workloads change -----------------------------------------------------------------------------------------
  /// Before its record changes: it is taken out. Its place is for put().
  Place lift(WorkloadId workload);
  /// Afterwards, or when it is new. `is_other`: something changed that may help it, or its place.
  void put(WorkloadId workload, Place before, bool is_other, Instant now);
  /// Its LocalQueue has come to lead here: it is ready, whatever was known of its class, and if it should back off.
  void join(WorkloadId workload) { push_ready(workload); }
  /// It waits no longer.
  void remove(WorkloadId workload);

  // ---- as time passes, and quota becomes free ----------------------------------------------------------------------
  /// Something may help the workloads of the node's tree.
  void notify(QuotaNodeId node, Instant now);
  /// Before the tree removes it: nothing waits in it.
  void forget(QuotaNodeId node);
  /// When inadmissible workloads come back, or have backed off; nullopt: never.
  [[nodiscard]] std::optional<Instant> due_at() const;
  /// What is due by then comes back. True: something did.
  bool elapse(Instant now);

  // ---- rounds ------------------------------------------------------------------------------------------------------
  /// A queue that has turns has a workload that is ready.
  [[nodiscard]] bool has_heads() const;
  /// Pops the head of each queue that has turns, in the order of the queues' names.
  std::vector<WorkloadId> pop_heads();
  /// A head that was popped and not admitted. True: it is ready.
  bool requeue(WorkloadId workload, RequeueReason reason, Instant now);

  // ---- for those who look ------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t ready_count(QueueId queue) const;
  [[nodiscard]] std::size_t inadmissible_count(QueueId queue) const;
  /// All that wait in it, as the order of those that are ready has it. O(n log n).
  [[nodiscard]] std::vector<WorkloadId> in_order(QueueId queue) const;

 private:
  /// The workloads of one class in one queue: a heap of those that are ready, and one of those that are not.
  struct Line {
    std::array<std::vector<WorkloadId>, 2> heaps;
    std::uint8_t ready = 0;         // which of them
    bool is_known_to_fail = false;  // whoever comes is inadmissible
  };
  struct ComesBefore {
    const PendingQueues* pending;
    bool operator()(WorkloadId a, WorkloadId b) const { return pending->comes_before(a, b); }
  };
  struct Queue {
    Queue(const PendingQueues* pending, QueueId of) : id(of), firsts(ComesBefore{pending}) {}
    QueueId id;
    std::unordered_map<ClassId, Line> lines;
    std::set<WorkloadId, ComesBefore> firsts;  // of each line, if it has ready ones
    std::vector<WorkloadId> backing_off;
    std::size_t ready = 0;       // change_ready() changes it
    std::uint32_t ready_at = 0;  // its place in with_ready_, if it has some
    std::size_t inadmissible = 0;
    WorkloadId sticky = {};
    WorkloadId in_flight = {};
    std::uint64_t moved_back_at = 0;  // how many times heads were popped before
  };
  struct Position {
    enum class In : std::uint8_t { kNowhere, kLine, kBackingOff, kFlight };
    In in = In::kNowhere;
    std::uint8_t heap = 0;
    std::uint32_t at = 0;
  };

  [[nodiscard]] const Queue* find(QueueId queue) const;
  Queue& of(QueueId queue);
  Position& position(WorkloadId workload);
  [[nodiscard]] bool comes_before(WorkloadId a, WorkloadId b) const;
  [[nodiscard]] bool backs_off(WorkloadId workload, Instant now) const;
  [[nodiscard]] bool is_best_effort(QueueId queue) const;

  void change_ready(Queue& queue, std::ptrdiff_t by);
  void push_ready(WorkloadId workload);
  void push_inadmissible(WorkloadId workload, Instant now);
  void take_out(WorkloadId workload);
  WorkloadId pop(Queue& queue);
  void fail_class(Queue& queue, ClassId of);
  bool move_back(QueueId queue, Instant now);
  bool move_line_back(QueueId id, Queue& queue, Line& line);
  bool move_tree_back(QuotaNodeId node, Instant now);

  void leave_firsts(Queue& queue, const Line& line) const;
  void enter_firsts(Queue& queue, const Line& line) const;
  void push(Line& line, std::uint8_t which, WorkloadId workload);
  void erase(std::vector<WorkloadId>& heap, std::uint32_t at);
  void sift(std::vector<WorkloadId>& heap, std::uint32_t at);
  void gather(Line& line, bool are_ready);

  const ClusterQueues& queues_;
  const cluster::QuotaTree& tree_;
  Workloads& workloads_;
  const Settings& settings_;
  const NamespaceRule& namespaces_;
  std::vector<Queue> pending_;       // by node
  std::vector<QueueId> with_ready_;  // in no order: a round costs what is ready, however many queues there are
  std::vector<Position> positions_;  // by workload
  std::map<QuotaNodeId, Instant> moves_;
  std::multimap<Instant, WorkloadId> backoffs_;
  std::uint64_t pops_ = 1;
};

}  // namespace loadline::queue::kueue
