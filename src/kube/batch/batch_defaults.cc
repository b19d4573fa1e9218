#include "kube/defaults.h"

namespace loadline::kube {

void set_defaults(Job& job) {
  // Only a job that says neither runs once: with parallelism alone, any success completes it.
  if (!job.spec.completions && !job.spec.parallelism) job.spec.completions = 1;
  if (!job.spec.parallelism) job.spec.parallelism = 1;
  if (job.metadata.labels.empty()) job.metadata.labels = job.spec.template_.metadata.labels;
  set_defaults(job.spec.template_);
}

void set_defaults(CronJob& cron_job) { set_defaults(cron_job.job_spec.template_); }

}  // namespace loadline::kube
