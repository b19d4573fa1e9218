#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/quota_tree.h"
#include "brain/queue/kueue/workloads.h"

namespace loadline::queue::kueue {

/// Who was preempted for whom, so that preemption comes to an end.
///
/// Kueue forgets its preemptions as soon as the victims have left, so two workloads can take each other's quota in
/// turn, and one can be preempted, admitted again into what became free, and preempted again, for ever. Here B *gave
/// way* for A when B was preempted for A, and with RepeatedPreemption::kRefused A has B preempted only if
///
/// 1. A did not give way for B, directly or over others (A for C, C for B), and
/// 2. B did not give way for A since anything changed but by rounds.
///
/// A victim that is leaving already may be counted on by anybody. That a preemptor comes first in its tree's rounds
/// until it has the quota that others gave up for it (Workload::has_made_room) makes the second rule a rare one.
///
/// What is forgotten, since it explains why things are otherwise now:
/// - that B gave way for A, once quota on B's side came free but by preemption: a workload ended, shrank, was stopped.
///   B's side is the node below the lowest cohort of both queues that has B's queue in it, or is it; and if both stand
///   in one queue, that queue. So whoever got more of its own quota may reclaim it from whoever it gave way for;
/// - all about a workload, when its priority, its pods or its queue change, and when it is gone;
/// - everything, when quotas, cohorts, flavors, checks or namespaces change;
/// - of the second rule, that B gave way, also when a workload comes, or one that waits changes, in the tree.
///
/// Why rounds end if nothing of this happens. Then nothing is forgotten. "B gave way for A" are edges of a graph. By
/// the first rule it never has a circle: an edge from B to A would close one only if a path led from A to B. By the
/// second one no edge is drawn twice. So of n workloads there are n·(n−1)/2 preemptions at most, and, since each
/// admission but the first of a workload follows one of its preemptions, n more admissions. A round that decides
/// neither has changed nothing, and there is no other one until something happens.
class PreemptionHistory {
 public:
  PreemptionHistory(const cluster::QuotaTree& tree, const Workloads& workloads) : tree_(tree), workloads_(workloads) {}

  // ---- what happens ------------------------------------------------------------------------------------------------
  /// The victim is asked to leave for the preemptor. REQUIRES: both have queues, of one tree.
  void preempt(WorkloadId victim, WorkloadId preemptor);
  /// It was to leave, and will not: the preemption could not be carried out.
  void take_back(WorkloadId victim);
  /// A workload is about to give up all its quota. True: because it was preempted.
  bool quota_comes_free(WorkloadId of);
  /// It has given up some of it.
  void shrank(WorkloadId workload);
  /// It is new in its queue, or was changed while it waits.
  void arrived(WorkloadId workload);
  /// It is another one now, or gone.
  void forget(WorkloadId workload);
  void forget_all();
  /// From before this scheduler was made, by a condition: the victim once gave way for the workload of that uid.
  /// `is_leaving`: it still has its quota. Counts from the next resolve() on.
  void recall(WorkloadId victim, std::string preemptor_uid, bool is_leaving);
  /// Finds those of whom uids were recalled; O(workloads) if there are any. Returns them, once each.
  std::vector<WorkloadId> resolve();

  // ---- what follows ------------------------------------------------------------------------------------------------
  /// Those that the preemptor must not have preempted, sorted. O(1) for one without a past.
  [[nodiscard]] std::vector<WorkloadId> spared_by(WorkloadId preemptor) const;
  /// Whether it is one of them, and did not give way for the preemptor itself: it had the preemptor preempted.
  [[nodiscard]] bool had_preempted(WorkloadId preemptor, WorkloadId victim) const;

 private:
  /// That a workload gave way.
  struct Edge {
    WorkloadId preemptor;
    QuotaNodeId side;
    std::uint64_t ends = 0;     // there had been at its side
    std::uint64_t changes = 0;  // there had been in the tree
  };
  struct Past {
    std::vector<Edge> gave_way;         // for each once
    std::vector<WorkloadId> preempted;  // who gave way for it
    WorkloadId leaves_for = {};         // it still has its quota
  };
  struct Recalled {
    WorkloadId victim;
    std::string preemptor_uid;
  };

  [[nodiscard]] const Past* find(WorkloadId workload) const;
  Past& of(WorkloadId workload);
  void draw(WorkloadId victim, WorkloadId preemptor);
  void erase(WorkloadId victim, WorkloadId preemptor);
  void count_end(QueueId queue);
  [[nodiscard]] bool are_in_one_tree(QueueId queue, QueueId other) const;
  [[nodiscard]] QuotaNodeId side_of(QueueId queue, QueueId other) const;
  [[nodiscard]] bool counts(const Edge& edge) const { return count(ends_, edge.side) == edge.ends; }
  [[nodiscard]] bool is_of_now(WorkloadId victim, WorkloadId preemptor) const;
  [[nodiscard]] std::vector<WorkloadId> ahead_of(WorkloadId workload) const;
  [[nodiscard]] static std::uint64_t count(const std::vector<std::uint64_t>& counts, QuotaNodeId node);
  static void count_up(std::vector<std::uint64_t>& counts, QuotaNodeId node);
  [[nodiscard]] std::uint64_t changes_of(QueueId queue) const;

  const cluster::QuotaTree& tree_;
  const Workloads& workloads_;
  std::vector<Past> pasts_;             // by workload
  std::vector<std::uint64_t> ends_;     // by node: how often quota of its subtree came free
  std::vector<std::uint64_t> changes_;  // by root
  std::vector<Recalled> recalled_;
};

}  // namespace loadline::queue::kueue
