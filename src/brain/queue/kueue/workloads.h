#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "brain/queue/kueue/cluster_queues.h"
#include "brain/queue/kueue/pod_shapes.h"
#include "brain/queue/kueue/quotas.h"
#include "foundation/base/time.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::queue::kueue {

using WorkloadId = Id<struct KueueWorkloadTag>;
/// Workloads that no queue can tell apart but by age and name: equal pod sets and priority.
using ClassId = Id<struct EquivalenceClassTag>;

/// Pods of a workload that are alike, as quota sees them.
struct PodSetDemand {
  std::string name;
  ShapeId shape;
  std::int32_t count = 0;  ///< those that have not ended
  std::int32_t full = 0;   ///< as the object says
  std::int32_t least = 0;  ///< of `full`, so many are enough; equal to it: all are needed
  std::int32_t group = 0;  ///< sets of one group get their flavors together; numbered by first appearance
  std::vector<ResourceAmount> requests = {};  ///< of all `count`, by the resources' names
};

/// Where the search for flavors stopped, so that the next one goes on behind it.
struct FlavorProgress {
  struct Tried {
    Symbol resource;
    std::int32_t flavor = -1;  ///< its place in the group; -1: all have been tried
    friend bool operator==(const Tried&, const Tried&) = default;
  };
  std::vector<std::vector<Tried>> pod_sets;
  std::int64_t generation = 0;  ///< of the queue
  std::int64_t round = 0;
  ClassId of;

  /// There are flavors that were not tried.
  [[nodiscard]] bool has_more() const;
  /// Where to begin.
  [[nodiscard]] std::size_t next(std::size_t pod_set, Symbol resource) const;
};

/// Quota that a workload uses, or asks for.
struct QuotaUse {
  QuotaCellId cell;
  Amount amount;
  friend bool operator==(const QuotaUse&, const QuotaUse&) = default;
};

/// What a pod set was given.
struct PodSetAdmission {
  std::int32_t count = 0;
  std::vector<std::pair<Symbol, FlavorId>> flavors = {};  ///< by resource
};

/// A workload in a line, or with quota of it. A cache of its object.
struct Workload {
  // What is read of every candidate for preemption stands together.
  std::string uid;
  QueueId queue;  ///< invalid: its LocalQueue, or the ClusterQueue of that, is not there
  bool has_quota = false;
  bool is_evicted = false;  ///< it has been asked to leave; its quota is gone when it is
  bool has_made_room =
      false;  ///< of one that waits: others were asked to leave for it, and it still may have their quota
  std::int64_t priority = 0;
  std::optional<Instant> reserved_at = {};  ///< of its quota; absent: just now
  std::vector<QuotaUse> uses = {};          ///< of one that has quota
  /// What its place in line counts from: when it was last evicted for pods that did not get ready, or by a check; else
  /// when it was created.
  Instant queued_at = {};

  std::string name;     ///< "namespace/name"
  std::string job_uid;  ///< of its job, by its label; empty: nobody knows
  Symbol name_space;
  std::int64_t generation = 0;  ///< of its object: grows with its spec
  Instant created_at = {};
  std::vector<PodSetDemand> pod_sets = {};
  ClassId equivalence = {};
  std::optional<Instant> requeue_at = {};  ///< it stays out of rounds until then
  bool is_held_back = false;               ///< Requeued=False: likewise, until it is told otherwise
  bool has_failed_checks = false;          ///< a check says Retry or Rejected
  std::string pod_problem = {};            ///< why no API server would take its pods; empty: nothing is wrong with them
  std::optional<FlavorProgress> progress = {};
  std::vector<PodSetAdmission> admission = {};  ///< of one that has quota

  [[nodiscard]] bool may_be_smaller() const;
};

/// What the workload's place in line counts from, by its conditions. Source: Kueue v0.19.2, GetQueueOrderTimestamp.
[[nodiscard]] Instant queue_order_time(const kube::KueueWorkload& workload, kube::RequeuingTimestamp timestamp);

/// The workloads of all queues. Ids of those that are gone are used again.
class Workloads {
 public:
  Workloads(Quotas& quotas, ClusterQueues& queues, PodShapes& shapes)
      : quotas_(quotas), queues_(queues), shapes_(shapes) {}

  /// Invalid: there is none of that name.
  [[nodiscard]] WorkloadId find(std::string_view name) const;
  [[nodiscard]] const Workload& at(WorkloadId workload) const { return workloads_[workload.index()]; }
  [[nodiscard]] Workload& at(WorkloadId workload) { return workloads_[workload.index()]; }
  [[nodiscard]] std::size_t bound() const { return workloads_.size(); }
  [[nodiscard]] std::size_t class_count() const { return classes_.size(); }
  /// Those that have quota of the queue, in no order that means anything.
  [[nodiscard]] std::span<const WorkloadId> holders(QueueId queue) const;

  /// Takes the workload as its object says, except for its admission; if it is known, in place of what it was. It has
  /// no quota, or keeps what it has. `queue`: of its LocalQueue. Its pod sets are as Kueue adjusts them.
  WorkloadId set(const kube::KueueWorkload& workload, QueueId queue, kube::RequeuingTimestamp timestamp);
  /// Its quota is free.
  void remove(WorkloadId workload);

  /// What evicted it before does not count any more. REQUIRES: it has none.
  void give_quota(WorkloadId workload, std::vector<PodSetAdmission> admission, std::vector<QuotaUse> uses,
                  std::optional<Instant> since);
  /// As an object says that was admitted before. False: it names a queue that is not there.
  bool adopt(WorkloadId workload, const kube::KueueWorkload& object);
  /// Does nothing to one that has none.
  void take_quota(WorkloadId workload);

 private:
  [[nodiscard]] ClassId class_of(const kube::KueueWorkload& object, const Workload& workload);
  [[nodiscard]] std::vector<PodSetDemand> demands_of(const kube::KueueWorkload& object);

  Quotas& quotas_;
  ClusterQueues& queues_;
  PodShapes& shapes_;
  std::vector<Workload> workloads_;
  std::vector<std::uint32_t> place_;  // among the holders of its queue
  std::vector<WorkloadId> unused_;
  std::unordered_map<std::string, WorkloadId> by_name_;
  std::unordered_map<std::string, ClassId> classes_;
  std::vector<std::vector<WorkloadId>> holders_;  // by queue
};

}  // namespace loadline::queue::kueue
