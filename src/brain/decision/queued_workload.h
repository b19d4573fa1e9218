#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "brain/decision/unit.h"
#include "foundation/base/id.h"
#include "objects/kube/core/pod.h"

namespace loadline::decision {

using WorkloadId = Id<struct QueuedWorkloadTag>;

/// Where a queued workload stands. Source: the conditions of Kueue's Workload (QuotaReserved, Admitted, Evicted,
/// Finished), v0.19; a Volcano PodGroup is kPending, kAdmitted (Inqueue, Running) and kFinished.
enum class WorkloadStage : std::uint8_t {
  kPending,   ///< it stands in its line
  kReserved,  ///< it holds quota
  kChecked,   ///< and all checks have passed, so that its line may admit it
  kAdmitted,  ///< its pods may have places
  kLeaving,   ///< it holds quota until its last pod is gone
  kFinished,
};

/// Whether a workload can come from the one to the other at once.
[[nodiscard]] bool may_follow(WorkloadStage before, WorkloadStage after);

/// Pods of a workload that cannot be told apart: there may be none of them yet.
struct PodSet {
  std::string role;                           ///< "worker"; empty: the workload has one set
  std::shared_ptr<const kube::PodSpec> spec;  ///< of each of them
  std::int64_t count = 1;
  std::int64_t least = 1;  ///< with fewer it does not start
};

/// A workload in a line: Kueue's Workload; a PodGroup as Volcano's queues see it; a JobSet, which has many units. Its
/// pods come, die and come again under it. What it claims of its line's ledgers (quota), these know. A cache: it can be
/// rebuilt from API objects.
struct QueuedWorkload {
  WorkloadStage stage = WorkloadStage::kPending;
  std::vector<PodSet> pod_sets;
  std::set<Unit> waiting;  ///< units under it of which pods wait

  /// Whether its pods may have places, as far as it is concerned.
  [[nodiscard]] bool lets_start() const { return stage == WorkloadStage::kAdmitted; }
};

/// The queued workloads of all lines.
class QueuedWorkloads {
 public:
  /// Tells of a workload whose pods may have places now, or may no longer.
  using Tell = std::function<void(const QueuedWorkload&)>;
  explicit QueuedWorkloads(Tell tell) : tell_(std::move(tell)) {}

  WorkloadId open(std::vector<PodSet> pod_sets);
  /// REQUIRES: no unit waits under it.
  void close(WorkloadId id);
  /// REQUIRES: of this and the following, that it is open.
  [[nodiscard]] const QueuedWorkload& at(WorkloadId id) const { return workloads_.at(id); }
  /// REQUIRES: may_follow().
  void advance(WorkloadId id, WorkloadStage stage);
  /// Pods of the unit wait; a unit may stand under several workloads, all of which have to let it start.
  void stand_under(WorkloadId id, Unit unit) { workloads_.at(id).waiting.insert(unit); }
  void leave(WorkloadId id, Unit unit) { workloads_.at(id).waiting.erase(unit); }

 private:
  Tell tell_;
  std::map<WorkloadId, QueuedWorkload> workloads_;
  std::size_t opened_ = 0;
};

}  // namespace loadline::decision
