#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators::kueue {

/// One for each kind of job that a field of it holds (brain/queue/kueue/jobs/job_kinds.h). What each does: job_sync.h.
[[nodiscard]] Controllers make_job_controllers();

}  // namespace loadline::operators::kueue
