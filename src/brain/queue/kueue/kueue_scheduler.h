#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "brain/queue/kueue/pod_bounds.h"
#include "brain/queue/kueue/preemption_history.h"
#include "brain/queue/kueue/round.h"
#include "objects/kube/kueue/local_queue.h"

namespace loadline::queue::kueue {

/// Kueue's queues and rounds over one quota tree: it is told of objects as they are, and decides about workloads.
///
/// A workload waits, holds quota, or is gone. It waits from submit() on, in the ClusterQueue of its LocalQueue as soon
/// as both are there; a round gives it quota; submit() takes that back, as does remove(). What was decided is told by
/// the Round, and is so here at once: the host writes it to the objects, and comes with these again.
/// Whoever is asked to leave holds its quota until the host says that it has stopped (submit(), remove()).
///
/// With a room (set_room()), a workload needs nodes for its pods, too.
///
/// Pod sets come adjusted (adjusted_pods.h). Not part of it: topologies, MultiKueue, admission fair sharing, workload
/// slices.
/// Who was preempted for whom is remembered (PreemptionHistory); of a workload that it is told of for the first time,
/// for whom it was preempted last, by its condition.
/// Source: Kueue v0.19.2, pkg/cache, pkg/scheduler; which object means what: pkg/controller/core.
class KueueScheduler final : private NamespaceRule {
 public:
  KueueScheduler(cluster::QuotaTree& tree, Settings settings, const kube::KueueResources& resources = {});

  // ---- objects as they are now: no transaction is open -------------------------------------------------------------
  void set(const kube::ResourceFlavor& flavor, Instant now);
  void remove_flavor(std::string_view name, Instant now);
  void set(const kube::ClusterQueue& queue, Instant now);
  /// Workloads that hold quota of it hold none any more; those that wait, wait for another one of that name.
  void remove_queue(std::string_view name);
  void set(const kube::Cohort& cohort, Instant now);
  void remove_cohort(std::string_view name, Instant now);
  void set(const kube::LocalQueue& queue);
  void remove_local_queue(std::string_view name_space, std::string_view name);
  void set(const kube::AdmissionCheck& check, Instant now);
  void remove_check(std::string_view name, Instant now);
  void set_namespace(std::string_view name, const kube::StringMap& labels, Instant now);
  /// What the namespace's LimitRanges ask of pods. Goes for workloads that are submitted from now on.
  void set_pod_bounds(std::string_view name_space, PodBounds bounds);

  // ---- workloads ---------------------------------------------------------------------------------------------------
  /// By its status: waits, holds quota, or neither (finished, inactive, on hold, gated).
  void set(const kube::KueueWorkload& workload, Instant now);
  /// It waits, and holds no quota any more if it did.
  WorkloadId submit(const kube::KueueWorkload& workload, Instant now);
  /// It holds the quota of its status. False: of a queue that is not there.
  bool adopt(const kube::KueueWorkload& workload, Instant now);
  /// It has been asked to leave by somebody else; it holds its quota.
  void mark_evicted(WorkloadId workload);
  /// It is over: it neither waits nor holds quota.
  void remove(WorkloadId workload, Instant now);
  /// Its object is gone, whether it was over before or not.
  void forget(std::string_view name_space, std::string_view name, Instant now);

  // ---- rounds ------------------------------------------------------------------------------------------------------
  /// A round might decide something that the last one did not.
  [[nodiscard]] bool is_due(Instant now) const;
  /// When it will be though nothing happens; nullopt: never.
  [[nodiscard]] std::optional<Instant> due_at() const { return pending_.due_at(); }
  /// What is due by then is ready again. A round does that first, too; who tells of something after due_at() does it
  /// before, so that it is not taken for a part of what was due.
  void elapse(Instant now);
  Round decide_round(Instant now);
  void tell_attempts(bool tells) { rounds_.tell_attempts(tells); }
  /// Workloads are admitted that find nodes there (Admission::kFeasible); null: whether or not there are any (kQuota).
  /// It outlives this, or is taken away before. From the next round on: what another one held is free, and those that
  /// found no nodes there are tried again. Does nothing if it is the same.
  void set_room(Room* room, Instant now);
  /// What the policy says; from the next round on.
  void set_switches(const Switches& switches, Instant now);

  [[nodiscard]] const Quotas& quotas() const { return quotas_; }
  [[nodiscard]] const ClusterQueues& queues() const { return queues_; }
  [[nodiscard]] const Flavors& flavors() const { return flavors_; }
  [[nodiscard]] const Workloads& workloads() const { return workloads_; }
  [[nodiscard]] const PendingQueues& pending() const { return pending_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  using LocalName = std::pair<Symbol, Symbol>;  // namespace, name
  struct LocalQueue {
    std::optional<kube::LocalQueue> object;
    std::set<WorkloadId> workloads;  // that name it, and hold no quota
  };

  [[nodiscard]] bool exists(Symbol name_space) const override { return namespaces_.contains(name_space); }
  [[nodiscard]] bool admits(QueueId queue, Symbol name_space) const override;
  [[nodiscard]] std::string pod_problem_of(const kube::KueueWorkload& object) const;
  [[nodiscard]] LocalName local_name(std::string_view name_space, std::string_view name);
  [[nodiscard]] QueueId queue_of(const LocalQueue& local) const;
  void resolve(LocalQueue& local);
  void leave_line(WorkloadId workload);
  void withdraw(WorkloadId workload, Instant now);
  bool give_back(WorkloadId workload, Instant now);
  void help(QuotaNodeId node, Instant now);
  void note_change(const Workload* was, WorkloadId id, const kube::KueueWorkload& object);
  void recall(WorkloadId id, const kube::KueueWorkload& object);
  void help_all(Instant now);
  template <class Change>
  void help_those_that_start(Instant now, Change&& change);
  void help_queue_of(const LocalName& name, Instant now);
  [[nodiscard]] RoomAnswer ask_room(const Decision& decision, std::span<const Victim> leaving, bool holds);
  void let_go_of_room(WorkloadId workload);
  [[nodiscard]] bool may_have_room() const;

  Settings settings_;
  PodShapes shapes_;
  Flavors flavors_;
  Quotas quotas_;
  ClusterQueues queues_;
  Workloads workloads_;
  PendingQueues pending_;
  PreemptionHistory history_;
  RoundMaker rounds_;
  std::map<LocalName, LocalQueue> locals_;
  std::unordered_map<WorkloadId, LocalName> local_of_;
  std::map<std::string, LocalName, std::less<>> over_;  // where those stood whose objects are still there, by name
  std::unordered_map<Symbol, kube::StringMap> namespaces_;
  std::map<std::string, PodBounds, std::less<>> pod_bounds_;  // by namespace, where there are some
  bool has_news_ = false;
  Room* room_ = nullptr;
  std::set<QueueId> without_room_;      // queues of workloads that had quota, and no nodes
  std::uint64_t times_freed_seen_ = 0;  // Room::times_freed() when these were asked about
};

}  // namespace loadline::queue::kueue
