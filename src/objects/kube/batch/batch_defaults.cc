#include <limits>

#include "objects/kube/batch/batch.h"
#include "objects/kube/defaults.h"

namespace loadline::kube {

/// What is to be done about failures. A Job that judges its pods replaces only those that have really failed.
static void set_failure_defaults(JobSpec& spec) {
  constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();
  if (!spec.backoff_limit) spec.backoff_limit = spec.backoff_limit_per_index ? kNoLimit : 6;
  if (spec.pod_replacement_policy.empty()) {
    spec.pod_replacement_policy = spec.pod_failure_policy ? "Failed" : "TerminatingOrFailed";
  }
  if (!spec.pod_failure_policy) return;
  for (PodFailurePolicyRule& rule : spec.pod_failure_policy->rules) {
    for (PodFailurePolicyOnPodCondition& condition : rule.on_pod_conditions) {
      if (condition.status.empty()) condition.status = "True";
    }
  }
}

void set_defaults(Job& job) {
  // Only a job that says neither runs once: with parallelism alone, any success completes it.
  if (!job.spec.completions && !job.spec.parallelism) job.spec.completions = 1;
  if (!job.spec.parallelism) job.spec.parallelism = 1;
  if (job.metadata.labels.empty()) job.metadata.labels = job.spec.template_.metadata.labels;
  set_failure_defaults(job.spec);
  set_defaults(job.spec.template_);
}

void set_defaults(CronJob& cron_job) {
  if (!cron_job.successful_jobs_history_limit) cron_job.successful_jobs_history_limit = 3;
  if (!cron_job.failed_jobs_history_limit) cron_job.failed_jobs_history_limit = 1;
  set_defaults(cron_job.job_spec.template_);
}

}  // namespace loadline::kube
