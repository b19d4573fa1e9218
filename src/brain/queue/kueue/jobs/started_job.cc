#include "brain/queue/kueue/jobs/started_job.h"

#include "objects/kube/kueue/job_names.h"

namespace loadline::queue::kueue {

void set_parallelism(kube::Job& job, std::int32_t count) {
  if (!job_pod_sets(job).front().min_count) return;
  job.spec.parallelism = count;
  const auto sync = job.metadata.annotations.find(kube::kJobCompletionsEqualParallelism);
  if (sync == job.metadata.annotations.end()) return;
  // As Go's strconv.ParseBool has it.
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (sync->second == yes) job.spec.completions = count;
  }
}

}  // namespace loadline::queue::kueue
