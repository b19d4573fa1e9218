#pragma once

#include "bench/placement/measurement.h"
#include "bench/placement/workload.h"

namespace loadline::bench {

/// The workload through the offline host: one plan of a cluster in which the init pods run already (where the engine
/// put them). Measured is the whole plan, from typed objects to outcome: intake of everything, admission, queue,
/// decisions, victims' grace periods in virtual time, the report of every pod. A decision's time is what the host
/// shows of it: the mean over each run of decisions between two reports of progress.
/// Errors: the plan could not be made, or an init pod fits nowhere.
Result<Measurement> measure_host(const Workload& workload);

}  // namespace loadline::bench
