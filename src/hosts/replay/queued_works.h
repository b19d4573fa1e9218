#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "brain/cluster/ledgers/quota_tree.h"
#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/time.h"
#include "hosts/replay/live_works.h"
#include "hosts/replay/queue_measures.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/objects.h"

namespace loadline::replay {

/// Works of a replay in Kueue's queues.
///
/// A queue decides about a work if there is a LocalQueue for it in its tenant's namespace: the one that the label
/// kueue.x-k8s.io/queue-name of its pods names, or else `default`, or else the only one. Such a work waits until it has
/// quota; then its pods get the node labels and tolerations of its flavors, and wait for nodes. Quota of a pod that has
/// run its time is free at once, as that of a Job's. A work that is stopped gives its quota back with its last pod, and
/// waits again. Priorities are those of the pods, or of the WorkloadPriorityClass that their label names.
/// Admission checks count as passed: a replay has no controllers that could pass them.
class QueuedWorks {
 public:
  using Slot = LiveWorks::Slot;
  static constexpr std::size_t kMostStops = 10'000;

  /// `cluster`, which has the queues, outlives this. `switches`: of the policy.
  QueuedWorks(const kube::Objects& cluster, const queue::kueue::Switches& switches, Instant start);

  /// Works need nodes for their pods, too, to be admitted. It outlives this.
  void set_room(queue::kueue::Room* room) { scheduler_.set_room(room, start_); }
  /// The Workload of a work that waits or has quota, by "namespace/name"; null: there is none.
  [[nodiscard]] const kube::KueueWorkload* find_workload(const std::string& name) const;

  [[nodiscard]] const kube::ResourceFlavor* find_flavor(std::string_view name) const;

  // ---- works -------------------------------------------------------------------------------------------------------
  /// The LocalQueue that the work waits in; empty: no queue decides about it.
  [[nodiscard]] std::string queue_of(const trace::Work& work) const;
  /// The work has arrived, or its pods have left after it was stopped: it waits. One that was stopped kMostStops times
  /// waits no more: it would be stopped for ever. REQUIRES: queue_of() names a queue.
  void submit(Slot slot, const LiveWork& live, Instant now);
  /// A pod of it, of that set of equal ones, has run its time.
  void pod_ended(Slot slot, std::size_t alike, Instant now);
  /// The work is over, wherever it stood. Does nothing to one that no queue decides about.
  void leave(Slot slot, Instant now);
  /// Gives the pods of an admitted work, by index into Work::pods, what those of its flavors' nodes need to have.
  /// REQUIRES: decide() has just told to start it.
  void give_flavors(Slot slot, std::vector<kube::Pod>& templates) const;

  // ---- rounds ------------------------------------------------------------------------------------------------------
  /// When a round will be due though nothing happens; nullopt: never.
  [[nodiscard]] std::optional<Instant> due_at() const { return scheduler_.due_at(); }
  struct Orders {
    std::vector<Slot> starts;
    std::vector<Slot> stops;
  };
  /// All rounds that are due. Those that are to stop are not among those that start.
  [[nodiscard]] Orders decide(Instant now);

  // ---- what came of it ---------------------------------------------------------------------------------------------
  [[nodiscard]] QueueMeasures& measures() { return measures_; }

 private:
  struct QueuedWork {
    kube::KueueWorkload workload;
    queue::kueue::WorkloadId id;
    queue::kueue::QueueId queue;
    Duration arrived;
    std::size_t stops = 0;
    bool was_admitted = false;
  };

  [[nodiscard]] kube::KueueWorkload workload_of(const LiveWork& live, Instant now) const;
  [[nodiscard]] std::int32_t priority_of(const kube::Pod& pod) const;
  void admit(const queue::kueue::Decision& decision, Instant now, Orders& orders);
  void stop(const queue::kueue::Victim& victim, Instant now, Orders& orders);

  const kube::Objects& cluster_;
  Instant start_;
  cluster::QuotaTree tree_;
  queue::kueue::KueueScheduler scheduler_;
  QueueMeasures measures_;
  std::map<std::string, std::vector<std::string>, std::less<>> queues_of_;  // LocalQueues by namespace
  std::unordered_map<Slot, QueuedWork> works_;
  std::unordered_map<queue::kueue::WorkloadId, Slot> slot_of_;
};

}  // namespace loadline::replay
