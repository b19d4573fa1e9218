#include "hosts/operators/kueue/job_state.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "brain/workloads/index_intervals.h"
#include "brain/workloads/job.h"
#include "brain/workloads/training_job.h"
#include "foundation/document/at.h"
#include "objects/kube/condition.h"
#include "objects/kube/scalars.h"

namespace loadline::operators::kueue {
namespace {

/// Pods of an indexed Job of which no other will come.
std::int64_t settled_pods(const kube::Job& job, std::int64_t completions) {
  if (!job.spec.indexed) return job.status.succeeded;
  const auto succeeded = workloads::IndexIntervals::parse(job.status.completed_indexes, completions);
  const auto failed = workloads::IndexIntervals::parse(job.status.failed_indexes.value_or(""), completions);
  return succeeded.merged(failed).total();
}

/// How often the template of a replicated Job is run at once in each of its Jobs.
std::int32_t pods_per_job(const kube::ReplicatedJob& job) {
  const std::int32_t parallelism = job.job_spec.parallelism.value_or(1);
  return std::min(parallelism, job.job_spec.completions.value_or(parallelism));
}

}  // namespace

// ---- Jobs ---------------------------------------------------------------------------------------------------------

bool is_job_active(const kube::Job& job) { return job.status.active != 0; }

std::optional<JobEnding> ending_of(const kube::Job& job) {
  const kube::JobCondition* over = workloads::finished_condition(job);
  if (over == nullptr) return std::nullopt;
  return JobEnding{over->message, over->type != "Failed"};
}

bool are_job_pods_ready(const kube::Job& job) {
  const auto& uncounted = job.status.uncounted_terminated_pods;
  const std::size_t succeeded = uncounted ? uncounted->succeeded.size() : 0;
  return std::int64_t{job.status.succeeded} + job.status.ready.value_or(0) + static_cast<std::int64_t>(succeeded) >=
         workloads::pods_at_once(job.spec);
}

std::optional<Reclaimable> reclaimable_in(const kube::Job& job) {
  const std::int64_t parallelism = job.spec.parallelism.value_or(1);
  const std::int64_t completions = job.spec.completions.value_or(job.spec.parallelism.value_or(1));
  const std::int64_t settled = settled_pods(job, completions);
  const std::int64_t remaining = std::max<std::int64_t>(completions - settled, 0);
  if (parallelism <= 1 || settled <= 0 || remaining >= parallelism) return Reclaimable();
  return Reclaimable{{"main", static_cast<std::int32_t>(parallelism - remaining)}};
}

// ---- JobSets ------------------------------------------------------------------------------------------------------

bool is_job_active(const kube::JobSet& set) {
  return std::ranges::any_of(set.status.replicated_jobs,
                             [](const kube::ReplicatedJobStatus& status) { return status.active > 0; });
}

std::optional<JobEnding> ending_of(const kube::JobSet& set) {
  for (const std::string_view type : {"Completed", "Failed"}) {
    const kube::MetaCondition* condition = kube::find_condition(set.status.conditions, type);
    if (condition != nullptr && condition->status == "True") return JobEnding{condition->message, type == "Completed"};
  }
  return std::nullopt;
}

bool are_job_pods_ready(const kube::JobSet& set) {
  std::int64_t wanted = 0;
  for (const kube::ReplicatedJob& job : set.replicated_jobs) wanted += job.replicas;
  std::int64_t ready = 0;
  for (const kube::ReplicatedJobStatus& status : set.status.replicated_jobs) ready += status.ready + status.succeeded;
  return wanted == ready;
}

std::optional<Reclaimable> reclaimable_in(const kube::JobSet& set) {
  Reclaimable pods;
  for (const kube::ReplicatedJob& job : set.replicated_jobs) {
    const auto status = std::ranges::find(set.status.replicated_jobs, job.name, &kube::ReplicatedJobStatus::name);
    if (status == set.status.replicated_jobs.end() || status->succeeded <= 0 || status->succeeded > job.replicas) {
      continue;
    }
    pods.push_back({kube::lower_case(job.name), status->succeeded * pods_per_job(job)});
  }
  return pods;
}

// ---- training jobs ------------------------------------------------------------------------------------------------

bool is_job_active(const kube::TrainingJobStatus& status) {
  return std::ranges::any_of(status.replicas, [](const auto& role) { return role.second.active != 0; });
}

std::optional<JobEnding> ending_of(const kube::TrainingJobStatus& status) {
  const kube::TrainingCondition* over = workloads::finished_condition(status);
  if (over == nullptr) return std::nullopt;
  return JobEnding{over->message, over->type != "Failed"};
}

bool are_job_pods_ready(const kube::TrainingJobStatus& status) {
  return kube::has_true_condition(status.conditions, "Running");
}

// ---- Ray ----------------------------------------------------------------------------------------------------------

bool is_job_active(const kube::RayCluster& cluster) { return cluster.status.state == "ready"; }

std::optional<JobEnding> ending_of(const kube::RayCluster& /*cluster*/) { return std::nullopt; }

bool are_job_pods_ready(const kube::RayCluster& cluster) { return cluster.status.state == "ready"; }

bool is_job_active(const kube::RayJob& job) {
  return job.status.deployment_status != "Suspended" && !job.status.deployment_status.empty();
}

std::optional<JobEnding> ending_of(const kube::RayJob& job) {
  const std::string& status = job.status.deployment_status;
  if (status != "Failed" && status != "Complete") return std::nullopt;
  return JobEnding{job.status.message, job.status.job_status == "SUCCEEDED"};
}

bool are_ray_job_pods_ready(const document::Value& job) {
  return document::text_at(job, {"status", "rayClusterStatus", "state"}) == "ready";
}

bool is_job_on_hold(const kube::RayJob& job) { return job.status.deployment_status == "ValidationFailed"; }

}  // namespace loadline::operators::kueue
