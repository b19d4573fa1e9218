#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "brain/workloads/workload.h"
#include "foundation/base/time.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

/// Calls `visit.operator()<Kind>()` for the kinds of workloads that end by themselves, and so may say when.
template <class Visit>
void for_each_ending_kind(Visit visit) {
  const auto visit_each = [&]<class... Kinds>() { (visit.template operator()<Kinds>(), ...); };
  visit_each.template
  operator()<kube::Job, kube::JobSet, kube::PyTorchJob, kube::TensorFlowJob, kube::XgBoostJob, kube::PaddleJob,
             kube::JaxJob, kube::MpiJob, kube::RayCluster, kube::RayJob, kube::VolcanoJob>();
}

/// What workloads say of how long their pods run, for pods that do not say it themselves: by the annotations or the
/// label of objects/kube/expected_run.h, or else by their specs: activeDeadlineSeconds of Jobs, Kubeflow's jobs (in
/// runPolicy) and RayJobs, runningEstimate of Volcano's Jobs. Last comes maximumExecutionTimeSeconds of the Workload
/// that Kueue made of them, or of the pods.
class ExpectedRuns {
 public:
  ExpectedRuns() = default;
  /// Of all that are there, and the Jobs of JobSets, as their templates say.
  explicit ExpectedRuns(const kube::Objects& objects);

  /// The workload is there as it is now. False: that makes no difference to any pod. O(log).
  template <class Kind>
  bool set(const Kind& workload);
  /// It is gone. O(log).
  bool remove(const WorkloadReference& workload);

  /// Kueue's Workload, which bounds those that own it, is as `after`, and was as `before`; null: it is not there.
  /// Returns those whose bound is another one now. O(owners × log).
  std::vector<WorkloadReference> renew_bound(const kube::KueueWorkload* before, const kube::KueueWorkload* after);

  /// What the workload says, or else the nearest one above it that says anything. O(log).
  [[nodiscard]] std::optional<Duration> of(const WorkloadReference& workload) const;
  /// What the controller of a pod says, or the nearest one above it; of a pod without one, what Kueue's Workload says.
  [[nodiscard]] std::optional<Duration> of(const kube::ObjectMeta& pod) const;
  /// The same, or else what the workload says under which the pod is shown: a controller in between may be made by it,
  /// and not be among the objects.
  [[nodiscard]] std::optional<Duration> of(const kube::ObjectMeta& pod, const WorkloadReference& top) const;
  /// The workload, and those that it controls, directly or not.
  [[nodiscard]] std::vector<WorkloadReference> with_controlled(const WorkloadReference& workload) const;

 private:
  struct Entry {
    std::optional<Duration> span;
    std::optional<WorkloadReference> controller;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  bool set(const WorkloadReference& workload, Entry entry);
  void add_jobs_of(const kube::JobSet& set);

  std::map<WorkloadReference, Entry> entries_;  // of workloads that say something, or have a controller
  std::map<WorkloadReference, std::set<WorkloadReference>> controlled_;
  std::map<WorkloadReference, Duration> bounds_;  // by owners of Kueue's Workloads
};

}  // namespace loadline::workloads
