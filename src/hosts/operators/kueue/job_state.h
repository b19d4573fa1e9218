#pragma once

#include <optional>
#include <vector>

#include "hosts/operators/kueue/held_job.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators::kueue {

// How far a job is, kind by kind. Source: Kueue v0.19.2, pkg/controller/jobs.

using Reclaimable = std::vector<kube::ReclaimablePods>;

[[nodiscard]] bool is_job_active(const kube::Job& job);
[[nodiscard]] std::optional<JobEnding> ending_of(const kube::Job& job);
[[nodiscard]] bool are_job_pods_ready(const kube::Job& job);
/// Of the last pods of a Job fewer run at once than before.
[[nodiscard]] std::optional<Reclaimable> reclaimable_in(const kube::Job& job);

[[nodiscard]] bool is_job_active(const kube::JobSet& set);
[[nodiscard]] std::optional<JobEnding> ending_of(const kube::JobSet& set);
[[nodiscard]] bool are_job_pods_ready(const kube::JobSet& set);
/// Pods of replicated Jobs of which some have succeeded.
[[nodiscard]] std::optional<Reclaimable> reclaimable_in(const kube::JobSet& set);

[[nodiscard]] bool is_job_active(const kube::TrainingJobStatus& status);
[[nodiscard]] std::optional<JobEnding> ending_of(const kube::TrainingJobStatus& status);
[[nodiscard]] bool are_job_pods_ready(const kube::TrainingJobStatus& status);
template <kube::Framework kFramework>
[[nodiscard]] bool is_job_active(const kube::TrainingJob<kFramework>& job) {
  return is_job_active(job.status);
}
template <kube::Framework kFramework>
[[nodiscard]] std::optional<JobEnding> ending_of(const kube::TrainingJob<kFramework>& job) {
  return ending_of(job.status);
}
template <kube::Framework kFramework>
[[nodiscard]] bool are_job_pods_ready(const kube::TrainingJob<kFramework>& job) {
  return are_job_pods_ready(job.status);
}

[[nodiscard]] bool is_job_active(const kube::RayCluster& cluster);
/// A cluster has no end.
[[nodiscard]] std::optional<JobEnding> ending_of(const kube::RayCluster& cluster);
[[nodiscard]] bool are_job_pods_ready(const kube::RayCluster& cluster);

[[nodiscard]] bool is_job_active(const kube::RayJob& job);
[[nodiscard]] std::optional<JobEnding> ending_of(const kube::RayJob& job);
/// `job`: its document. Its cluster's state is nothing that decisions read.
[[nodiscard]] bool are_ray_job_pods_ready(const document::Value& job);
/// KubeRay refused it: it waits until it is edited.
[[nodiscard]] bool is_job_on_hold(const kube::RayJob& job);

}  // namespace loadline::operators::kueue
