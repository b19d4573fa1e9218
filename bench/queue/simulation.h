#pragma once

#include "bench/queue/figures.h"
#include "bench/queue/generator.h"

namespace loadline::bench {

/// Runs what the generator makes through Kueue's queues (`queue::kueue::KueueScheduler`), in virtual time: from one
/// moment at which something happens to the next; then what has run ends, in the order of arrivals, what comes, comes,
/// and rounds are decided as long as one is due. They take no time. What is evicted stops at once, and waits again.
/// The peer, conformance/kueue/perf, does the same.
QueueFigures simulate_queues(const Generator& generator, Duration requeue_batch);

}  // namespace loadline::bench
