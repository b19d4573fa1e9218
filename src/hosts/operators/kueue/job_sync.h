#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/controllers/controller.h"
#include "hosts/operators/kueue/held_job.h"
#include "hosts/operators/kueue/known_objects.h"
#include "hosts/operators/kueue/management.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::operators::kueue {

using WorkloadPtr = watching::ObjectPtr<kube::KueueWorkload>;

/// Where a job is looked at.
struct Surroundings {
  const controllers::Context& context;
  const KnownObjects& objects;
  const kube::KueueConfiguration& configuration;
};

/// The Workload that a job is known to have, by its name.
struct FoundWorkload {
  WorkloadPtr workload;      ///< null: it has none
  bool is_outdated = false;  ///< it is of another job than this has become
  bool is_prebuilt = false;  ///< another object makes it, and looks after it
};

/// One look at a job: what its Workload should be, and whether it may run. A managed job is held; its Workload is made,
/// and kept equal to it; when it is admitted, the job starts with what it was given; when it is evicted, the job stops,
/// and gives the quota back once its pods are gone; when the job is over, its Workload is finished.
/// Source: Kueue v0.19.2, ReconcileGenericJob in pkg/controller/jobframework/reconciler.go, step by step. Left out:
/// workload slices, MultiKueue and requests of topologies.
class JobSync {
 public:
  /// `workloads`: those that name the job as their controller, by name and kind, by name.
  /// `found`: which of them is the job's, where that is known already.
  JobSync(const HeldJob& job, const Surroundings& in, std::vector<WorkloadPtr> workloads,
          std::optional<FoundWorkload> found = std::nullopt)
      : job_(job), in_(in), workloads_(std::move(workloads)), found_(std::move(found)) {}

  watching::Reconciliation run();

 private:
  // ---- whose job it is
  [[nodiscard]] bool is_managed(const std::optional<ManagedAncestor>& ancestor) const;
  void hold_with(const ManagedAncestor& ancestor);

  // ---- its Workload
  /// The Workload to go on with; nothing if there is none, or if it was changed: then `is_done_`.
  WorkloadPtr ensure_workload();
  WorkloadPtr ensure_prebuilt(std::string_view name);
  [[nodiscard]] bool is_equivalent(const WorkloadObject& workload) const;
  [[nodiscard]] std::optional<PodSetDocuments> running_sets(const WorkloadObject& workload) const;
  void remove_workloads(const std::vector<WorkloadPtr>& outdated);
  void make_workload();
  void update_workload(const WorkloadObject& workload);
  /// The Workload of the job; nothing: its priority class is not there, and there will be another look.
  std::optional<document::Value> draft_workload();
  void follow_priority(const WorkloadObject& workload);
  void follow_gates(const WorkloadObject& workload);

  // ---- what the Workload's state asks for, in order
  bool see_to_finished(const WorkloadObject& workload);
  bool see_to_deleted(const WorkloadObject& workload);
  bool see_to_hold(const WorkloadObject* workload);
  bool see_to_ending(const WorkloadObject* workload);
  bool see_to_reclaimable(const WorkloadObject& workload);
  bool see_to_readiness(const WorkloadObject& workload);
  bool see_to_eviction(const WorkloadObject& workload);
  void see_to_suspended(const WorkloadObject& workload);
  void start(const WorkloadObject& workload);
  void stop(const WorkloadObject* workload, std::string_view reason, const std::string& message);
  void finalize();
  void remove_after_deactivation(const WorkloadObject& workload);
  void tell_checks(const WorkloadObject& workload);

  [[nodiscard]] Result<std::vector<queue::kueue::PodSetInfo>> infos_of(const kube::KueueWorkload& workload) const;
  void write(const WorkloadObject& before, const kube::KueueWorkload& after,
             std::optional<watching::Event> told = std::nullopt);
  [[nodiscard]] watching::Event event(std::string_view reason, std::string message) const;
  /// Something that it needs is not there: another look then, if nothing is heard of it before.
  void wait(Duration span);

  const HeldJob& job_;
  const Surroundings in_;
  const std::vector<WorkloadPtr> workloads_;
  const std::optional<FoundWorkload> found_;
  queue::kueue::JobPodSets sets_;
  PodSetDocuments documents_;
  watching::Reconciliation result_;
  bool is_done_ = false;
};

/// The Workload that the job names, which another client made before it; empty: it names none.
[[nodiscard]] std::string_view prebuilt_workload_of(const kube::ObjectMeta& job);

/// What is left to do for the Workload of a job that is gone or going: it is finished, or, if it is going, too, let go.
/// Source: FinalizeOrphanedWorkload in pkg/workload/workload.go.
void let_go(const WorkloadObject& workload, Instant now, watching::Reconciliation& result);

}  // namespace loadline::operators::kueue
