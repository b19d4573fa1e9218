#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/line.h"
#include "brain/decision/queued_workload.h"
#include "brain/queue/kueue/kueue_scheduler.h"

namespace loadline::queue::kueue {

/// Kueue's queues beside the scheduler's loop: each Workload is a queued workload, under which its pods stand.
///
/// Pending until a round gives it quota, then reserved until the checks of its flavors have passed, then admitted. Who
/// is to leave, holds its quota until it has stopped: then it waits again (submit()), or is gone (finish()).
/// The quota tree is attached to the cluster, so that a transaction over that covers it.
class KueueLine final : public decision::Line {
 public:
  /// The cluster, and the workloads, outlive it. REQUIRES, of both: no transaction is open.
  KueueLine(cluster::Cluster& cluster, decision::QueuedWorkloads& workloads, Settings settings,
            const kube::KueueResources& resources = {});
  ~KueueLine() override { cluster_.detach(tree_); }

  /// For objects that are no workloads, and for those who look.
  [[nodiscard]] KueueScheduler& scheduler() { return scheduler_; }
  [[nodiscard]] const KueueScheduler& scheduler() const { return scheduler_; }

  // ---- workloads ---------------------------------------------------------------------------------------------------
  /// By its object, whatever it was before: it waits, holds quota, or neither (see KueueScheduler::set()). The host's
  /// way, where objects may say anything; one that stands in no line is closed.
  void set(const kube::KueueWorkload& workload, Instant now);
  /// Its object is gone. Does nothing to one that is not known.
  void remove(std::string_view name_space, std::string_view name, Instant now);
  /// It waits: it is new, has changed, was refused by a check, or has stopped after it was asked to leave. Quota that
  /// it held is free. REQUIRES: it is not admitted.
  decision::WorkloadId submit(const kube::KueueWorkload& workload, Instant now);
  /// A check has passed. With the last one it is admitted, unless it is to leave.
  void pass_check(decision::WorkloadId workload, std::string_view check);
  /// The host evicts it. REQUIRES: it is admitted.
  void ask_to_leave(decision::WorkloadId workload);
  /// It has ended, or is deleted: its pods are gone. The caller closes it.
  void finish(decision::WorkloadId workload, Instant now);
  /// REQUIRES: it was submitted, and has not finished.
  [[nodiscard]] WorkloadId kueue_id(decision::WorkloadId workload) const { return kueue_of_.at(workload); }

  // ---- rounds ------------------------------------------------------------------------------------------------------
  [[nodiscard]] bool is_due(Instant now) const override { return scheduler_.is_due(now); }
  [[nodiscard]] std::optional<Instant> due_at() const override { return scheduler_.due_at(); }
  void decide_round(decision::Doors& doors, Instant now) override;
  /// What was decided since they were taken last, for the host to carry out.
  [[nodiscard]] std::vector<Round> take_rounds() { return std::exchange(rounds_, {}); }

 private:
  decision::WorkloadId open(const kube::KueueWorkload& object, WorkloadId id);
  void close(WorkloadId id);
  void bring_to(decision::WorkloadId workload, decision::WorkloadStage wanted);
  void reserve(const Decision& decision);
  void admit_if_checked(decision::WorkloadId workload);

  cluster::Cluster& cluster_;
  cluster::QuotaTree tree_;
  KueueScheduler scheduler_;
  decision::QueuedWorkloads& workloads_;
  std::unordered_map<decision::WorkloadId, WorkloadId> kueue_of_;
  std::unordered_map<WorkloadId, decision::WorkloadId> queued_of_;
  std::unordered_map<decision::WorkloadId, std::set<std::string, std::less<>>> checks_;  // that have not passed
  std::vector<Round> rounds_;
};

}  // namespace loadline::queue::kueue
