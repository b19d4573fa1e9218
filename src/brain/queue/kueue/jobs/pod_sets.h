#pragma once

#include <string>
#include <vector>

#include "brain/workloads/training_job.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::queue::kueue {

// The pod sets that Kueue makes of a job, in its order and under its names. Those of one job are as many, and in the
// same order, as the templates that are changed when it starts; but a RayJob's submitter need not have one.
// Requests of topologies are left out: see ClusterQueues, Inactive::Code::kTopologyUnsupported.
// Source: Kueue v0.19.2, PodSets() in pkg/controller/jobs.

using JobPodSets = std::vector<kube::PodSet>;

/// "main", as many as run at once; with the annotation kube::kJobMinParallelism, so many are enough.
[[nodiscard]] JobPodSets job_pod_sets(const kube::Job& job);
/// One of each replicated Job.
[[nodiscard]] JobPodSets job_pod_sets(const kube::JobSet& set);
/// One of each role, the leading one first.
[[nodiscard]] JobPodSets job_pod_sets(const workloads::TrainingView& job);
template <kube::Framework kFramework>
[[nodiscard]] JobPodSets job_pod_sets(const kube::TrainingJob<kFramework>& job) {
  return job_pod_sets(workloads::TrainingView(job));
}
/// "head", with the containers that KubeRay adds to it, and one of each group.
[[nodiscard]] JobPodSets job_pod_sets(const kube::RayCluster& cluster);
/// Those of its cluster, and "submitter", if a Job submits it. None: it uses a cluster that is there.
[[nodiscard]] JobPodSets job_pod_sets(const kube::RayJob& job);

/// The PriorityClass that the job names for all of its pods, instead of those that their templates name; empty: none.
template <class Kind>
[[nodiscard]] std::string priority_class_in(const Kind& job) {
  if constexpr (requires { job.spec.run_policy.scheduling_policy; }) {
    if (job.spec.run_policy.scheduling_policy) return job.spec.run_policy.scheduling_policy->priority_class;
  }
  return {};
}

}  // namespace loadline::queue::kueue
