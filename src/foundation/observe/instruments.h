#pragma once

#include <memory>

#include "foundation/observe/kueue_metrics.h"
#include "foundation/observe/log.h"
#include "foundation/observe/scheduler_metrics.h"
#include "foundation/observe/work_queue_metrics.h"

namespace loadline::observe {

/// The metrics and the log of a cluster's controllers and scheduler; each may be null.
struct Instruments {
  std::shared_ptr<Log> log;
  std::shared_ptr<SchedulerMetrics> scheduler;
  std::shared_ptr<WorkQueueMetrics> queues;
  std::shared_ptr<KueueMetrics> kueue = {};
};

}  // namespace loadline::observe
