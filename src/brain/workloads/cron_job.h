#pragma once

#include <string>

#include "brain/workloads/pod_draft.h"
#include "foundation/base/time.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {

// A CronJob makes a Job for each of its runs, `<cron job>-<minutes since 1970>`: the name keeps a run from being made
// twice. Source: pkg/controller/cronjob, v1.36.

/// What the Job of a run gets. `scheduled`: the time of the run as the CronJob's time zone writes it.
[[nodiscard]] ObjectDraft run_draft(const kube::CronJob& cron_job, Instant at, std::string scheduled);

}  // namespace loadline::workloads
