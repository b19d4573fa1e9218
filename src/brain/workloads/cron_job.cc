#include "brain/workloads/cron_job.h"

#include <fmt/format.h>

#include "brain/workloads/controller.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {

ObjectDraft run_draft(const kube::CronJob& cron_job, Instant at, std::string scheduled) {
  constexpr std::int64_t kMinute = 60'000'000'000;
  ObjectDraft draft;
  draft.name = fmt::format("{}-{}", cron_job.metadata.name, at.nanoseconds / kMinute);
  draft.annotations = {{kube::kCronJobScheduledTimestamp, std::move(scheduled)}};
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

kube::Job job_at(const kube::CronJob& cron_job, Instant at) {
  const ObjectDraft draft = run_draft(cron_job, at, format_rfc3339(at));
  kube::Job job;
  job.metadata.name = draft.name;
  job.metadata.namespace_ = cron_job.metadata.namespace_;
  job.metadata.labels = cron_job.job_metadata.labels;
  job.metadata.annotations = cron_job.job_metadata.annotations;
  job.metadata.owner_references.push_back({"batch/v1", "CronJob", cron_job.metadata.name, cron_job.metadata.uid, true});
  job.metadata.source = cron_job.metadata.source;
  apply(draft, job.metadata);
  job.spec = cron_job.job_spec;
  return job;
}

}  // namespace

/// The next run is shown, whenever it is. Schedules are read in UTC; other time zones get a note, since only the Job's
/// name and annotation depend on the time.
void expand(const kube::CronJob& cron_job, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"CronJob", cron_job.metadata.namespace_, cron_job.metadata.name};
  if (cron_job.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  const Result<kube::CronSchedule> schedule = kube::CronSchedule::parse(cron_job.schedule);
  if (!schedule) {
    expansion.notes.push_back({workload, fmt::format("has no next run: {}", schedule.error().message)});
    return;
  }
  const std::optional<Instant> at = schedule->next(view.now);
  if (!at) {
    expansion.notes.push_back({workload, "has no run within the next five years"});
    return;
  }
  if (!cron_job.time_zone.empty() && cron_job.time_zone != "Etc/UTC" && cron_job.time_zone != "UTC") {
    expansion.notes.push_back(
        {workload,
         fmt::format("its schedule is read in UTC, not in {}: only the Job's name differs", cron_job.time_zone)});
  }
  expand_job(job_at(cron_job, *at), workload, view, expansion);
}

}  // namespace loadline::workloads
