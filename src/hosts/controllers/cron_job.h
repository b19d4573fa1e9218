#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Makes Jobs when CronJobs are due, `NAME-MINUTES`, lets concurrencyPolicy decide what of one that still runs, and
/// removes old ones beyond the history limits.
///
/// The Job of a run is made first, and the status tells of it once it is seen: which Jobs are active, and when the last
/// run was scheduled, as the Job's annotation says. So a run is neither lost nor made twice, wherever this stops.
/// Source: pkg/controller/cronjob, v1.36.
std::unique_ptr<Controller> make_cron_job_controller();

}  // namespace loadline::controllers
